using System.Text;
using Opossum.Following;
using Opossum.Projections.States;
using Opossum.Testing.Simulated;
using Opossum.Tests.Projections;

namespace Opossum.Tests.Hostile;

/// <summary>
/// Whatever bytes the files of a projection hold, their readers end, throw nothing that they do not announce, and take memory in proportion
/// to them.
/// </summary>
public sealed class ProjectionFuzzTests(ITestOutputHelper output)
{
    private static readonly Tag odd = new("parity", "odd");

    private readonly Fuzzing fuzzing = new(output);

    [Fact]
    public void Files()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        using var fileSystem = place.Attach();
        string[] kinds = ["model", "checkpoint", "fault", "request", "skip", "state"];
        var paths = kinds.ToDictionary(static kind => kind, kind => HostileProjectionTests.PathOf(place, kind));
        foreach (var kind in kinds)
            HostileProjectionTests.Put(place, kind, HostileProjectionTests.TextOf(kind));
        fuzzing.Run(900_000, [.. kinds.Select(kind => place.Bytes(paths[kind]))], (bytes, mutator) =>
        {
            var kind = mutator.Pick(kinds);
            place.Put(paths[kind], mutator.Half ? Sealed(bytes) : bytes);
            var isRead = false;
            Allocations.AssertBounded(bytes.Length, 40, () =>
            {
                try
                {
                    isRead = HostileProjectionTests.Read(place, kind, fileSystem);
                }
                catch (DamagedFileException e)
                {
                    Assert.Equal(paths[kind], e.Path);
                }
            });
            return isRead;
        }, share: 0.5);
    }

    [Fact]
    public void Tag_logs()
    {
        using var place = StorePlace.On(VolumeKind.Ext4);
        using var fileSystem = place.Attach();
        var log =
            Encoding.UTF8.GetBytes(string.Concat(Enumerable.Range(1,
                5).Select(n => HostileProjectionTests.Line($"{{\"key\":\"k{n}ü\",\"position\":{n},\"tags\":[\"parity:odd\",\"first:{n}\"]}}"))));
        fuzzing.Run(250_000, [log], (bytes, mutator) =>
        {
            var file = mutator.Half ? SealedLines(bytes) : bytes;
            place.Put("/log", file);
            var taken = 0;
            Allocations.AssertBounded(file.Length, 40, () =>
            {
                var (end, isWhole) = TagLog.Read(fileSystem, "/log", 0, long.MaxValue, 64 * 1024, (_, _, _) => taken++)!.Value;
                Assert.Equal(isWhole, end == file.Length);
            });
            return taken == 5;
        }, share: 0.25);
    }

    [Fact]
    public void Projections_with_any_of_their_files_changed_are_exact_or_say_what_is_damaged_and_are_exact_once_they_are_built_again()
    {
        var first = new SteppedProjection(new SimulatedDisk(VolumeKind.Ext4, new SimulatedClock()).Attach());
        first.Append(Counts.Counted("a", "b"), Counts.Counted("a"), Counts.Counted("c"), Counts.Deleted("b"));
        first.Run();
        first.Append(Counts.Counted("c", "d"));
        first.Run();
        first.Client.Kill();
        using var original = StorePlace.On(first.Client.Disk);
        var whole = original.Snapshot();
        string[] paths = [.. original.Snapshot(original.Layout.Projections).Where(each => each.Value is { Length: > 0 }).Select(each => each.Key)];
        fuzzing.Run(20_000, [.. paths.Select(path => whole[path]!)], (bytes, mutator) =>
        {
            using var place = StorePlace.On(VolumeKind.Ext4);
            foreach (var (path, content) in whole)
            {
                if (content is null)
                    place.CreateFolder(path);
                else
                    place.Put(path, content);
            }
            // Only where no checksum is forged is every answer right.
            var isForged = mutator.Half;
            place.Put(mutator.Pick(paths), isForged ? Sealed(bytes) : bytes);
            for (var more = mutator.Next(3); more > 0; more--)
            {
                var path = mutator.Pick(paths);
                place.Put(path, mutator.Change(whole[path]!, bytes));
            }
            var isRight = IsRight(new SteppedProjection(place.Disk!.Attach(), readOnly: true), isForged);
            var process = new SteppedProjection(place.Disk!.Attach());
            process.Append(Counts.Counted("a"), Counts.Counted("d"));
            process.Run();
            IsRight(process, isForged || process.Term.Live?.Fault is not null);
            process.RequestRebuild();
            process.Run();
            // A file that is forged may say that its states are of a later version; this process leaves those alone.
            if (!isForged || GenerationModel.Read(process.Client, process.Live)!.Version == 1)
                process.CheckExact();
            return isRight;
        });
    }

    private static bool IsRight(SteppedProjection process, bool isForged)
    {
        try
        {
            process.Status();
            var (all, found) = (process.ReadAll(), process.Find(odd));
            if (isForged || all.Count == 0)
                return all.Count > 0;
            var expected = Counts.Fold(process.Events());
            Assert.Equal(expected.OrderBy(each => each.Key),
                all.Select(each => KeyValuePair.Create(each.Key, each.Value.State)).OrderBy(each => each.Key));
            Assert.Equal(expected.Where(each => Counts.TagsOfCount(each.Value).Contains(odd)).OrderBy(each => each.Key),
                found.OrderBy(each => each.Key));
            return true;
        }
        catch (ProjectionException e)
        {
            Assert.Contains(e.Path!, e.Message, StringComparison.Ordinal);
            return false;
        }
    }

    private static byte[] Sealed(byte[] bytes) => bytes.Length > 36 ? Forgery.Of(bytes.AsSpan(0, bytes.Length - 36)) : bytes;

    private static byte[] SealedLines(byte[] bytes) =>
        [.. Encoding.Latin1.GetString(
            bytes).Split('\n').SelectMany(line =>
                line.Length > 9
                    ? Encoding.Latin1.GetBytes(
                        line[9..]) is var content ? (byte[])[.. Encoding.ASCII.GetBytes($"{Opossum.Serialization.Crc32C.Of(content):x8} "),
                        .. content, (byte)'\n']
                    : [] : [])];
}
