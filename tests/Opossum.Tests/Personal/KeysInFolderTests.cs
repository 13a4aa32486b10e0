using Opossum.Maintenance;
using static Opossum.Tests.Personal.Customers;

namespace Opossum.Tests.Personal;

/// <summary>Keys in a folder of the operating system: what it does with open files and names is part of forgetting.</summary>
public sealed class KeysInFolderTests : IDisposable
{
    private static readonly string[] odd =
        ["..", "CON", "con", "a.", "a ", "A", "a", "nul.txt", "a/b\\c", "x\0y", "\u001b[31m", "ünï 😀", new string('k', 10_000 - "customer:".Length)];

    private readonly StorePlace place = StorePlace.InFolder();

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    private string AnnFile => Path.Combine(place.Layout.Keys, "customer%3ac1.json");

    public void Dispose() => place.Dispose();

    [Theory]
    [InlineData(FileShare.ReadWrite | FileShare.Delete)]
    [InlineData(FileShare.Read)]
    [InlineData(FileShare.None)]
    public async Task A_person_is_forgotten_though_another_program_has_the_key_file_open(FileShare share)
    {
        await using var store = place.OpenCustomers(Key);
        await store.AppendAsync([new NewEvent(Registered())]);
        using (var held = new FileStream(AnnFile, FileMode.Open, FileAccess.Read, share))
        {
            // Windows refuses the erasure while a program forbids writing or deleting, and elsewhere nobody can forbid it.
            if (OperatingSystem.IsWindows() && !share.HasFlag(FileShare.Delete))
            {
                var inUse = await Assert.ThrowsAsync<PersonalDataException>(() => store.ForgetAsync(Ann, "asked for it"));
                Assert.True(inUse.IsTransient, inUse.Message);
                Assert.Contains("virus scanner", inUse.Message, StringComparison.Ordinal);
                // A program that forbids reading too keeps it from beginning.
                var findings = place.Check().Findings;
                Assert.Equal(share == FileShare.Read, findings.Any(each => each.Kind == FindingKind.UnfinishedForgetting));
            }
            else
            {
                Assert.True((await store.ForgetAsync(Ann, "asked for it")).HadKey);
            }
        }
        await store.ForgetAsync(Ann, "asked again");

        Assert.Equal(4, (await store.ReadAllAsync())[0].UnreadableMembers.Count(each => each.Reason == UnreadableReason.Forgotten));
        place.AssertClean();
    }

    [Fact]
    public async Task Keys_lie_in_another_folder_if_an_option_says_so()
    {
        using var elsewhere = StorePlace.InFolder();
        await using var store = place.OpenCustomers(Key, options => options.PersonalData.KeysFolder = elsewhere.Root);
        await store.AppendAsync([new NewEvent(Registered())]);

        await store.ForgetAsync(Ann, "asked for it");

        Assert.True(File.Exists(Path.Combine(elsewhere.Root, "customer%3ac1.json")));
        // The marks under both names alone, which copies of the store follow.
        var marks = Directory.GetFiles(place.Layout.Keys);
        Assert.Equal(2, marks.Length);
        Assert.All(marks, static mark => Assert.DoesNotContain("\"key\"", File.ReadAllText(mark), StringComparison.Ordinal));
        Assert.Equal(File.ReadAllText(Path.Combine(elsewhere.Root, "customer%3ac1.json")), File.ReadAllText(AnnFile));
        Assert.Equal(4, (await store.ReadAllAsync())[0].UnreadableMembers.Count);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Key_that_comes_back_into_the_store_is_reported_and_removed_where_the_keys_are_elsewhere(bool isDamaged)
    {
        using var elsewhere = StorePlace.InFolder();
        await using var store = place.OpenCustomers(Key, options => options.PersonalData.KeysFolder = elsewhere.Root);
        await store.AppendAsync([new NewEvent(Registered())]);
        var key = await File.ReadAllBytesAsync(Path.Combine(elsewhere.Root, "customer%3ac1.json"), Cancellation);
        await store.ForgetAsync(Ann, "asked for it");
        var mark = await File.ReadAllBytesAsync(AnnFile, Cancellation);
        await File.WriteAllBytesAsync(AnnFile, isDamaged ? [(byte)'x', .. key[1..]] : key, Cancellation);

        var finding = Assert.Single((await StoreCheck.RunAsync(place.Root, elsewhere.Root, cancellationToken: Cancellation)).Findings);
        var found = await PersonalKeys.FindAsync(place.Root, Ann, elsewhere.Root, cancellationToken: Cancellation);
        var again = await store.ForgetAsync(Ann, "asked again", Cancellation);

        Assert.Equal((FindingKind.UnfinishedForgetting, AnnFile), (finding.Kind, finding.Path));
        Assert.Equal(PersonKeyState.Forgetting, found.State);
        Assert.Equal((true, 2L), (again.HadKey, again.Position));
        Assert.Equal(mark, await File.ReadAllBytesAsync(AnnFile, Cancellation));
        Assert.True((await StoreCheck.RunAsync(place.Root, elsewhere.Root, cancellationToken: Cancellation)).IsClean);
        Assert.True((await store.ForgetAsync(Ann, "asked again", Cancellation)).WasForgotten);
    }

    [Fact]
    public async Task Mark_that_is_gone_from_the_store_is_written_again_where_the_keys_are_elsewhere()
    {
        using var elsewhere = StorePlace.InFolder();
        await using var store = place.OpenCustomers(Key, options => options.PersonalData.KeysFolder = elsewhere.Root);
        await store.AppendAsync([new NewEvent(Registered())]);
        await store.ForgetAsync(Ann, "asked for it");
        var mark = await File.ReadAllBytesAsync(AnnFile, Cancellation);
        File.Delete(AnnFile);

        var again = await store.ForgetAsync(Ann, "asked again");

        Assert.Equal((true, false), (again.WasForgotten, again.HadKey));
        Assert.Equal(mark, await File.ReadAllBytesAsync(AnnFile, Cancellation));
    }

    [Fact]
    public async Task Persons_with_odd_names_have_a_key_file_each_and_are_forgotten_one_by_one()
    {
        await using var store = place.OpenCustomers(Key);
        await store.AppendAsync([.. odd.Select(id => new NewEvent(Registered(id)))]);
        foreach (var (number, id) in odd.Index())
        {
            Assert.True((await store.ForgetAsync(new Tag("customer", id), "asked for it")).HadKey);

            var events = await store.ReadAllAsync();
            Assert.Equal(odd.Select((_, at) => at <= number), events.Take(odd.Length).Select(static e => e.UnreadableMembers.Count > 0));
        }
        Assert.Equal(2 * odd.Length + "p1 p2 store-key".Split(' ').Length, Directory.GetFiles(place.Layout.Keys, "*.json").Length);
        place.AssertClean();
    }

    [Fact]
    public async Task Stores_that_need_the_keys_of_the_same_persons_at_once_make_each_once()
    {
        var stores = Enumerable.Range(0, 4).Select(_ => place.OpenCustomers(Key)).ToList();
        string[] ids = [.. Enumerable.Range(0, 12).Select(number => $"c{number}")];

        await Task.WhenAll(stores.Select(store => Task.Run(async () =>
        {
            foreach (var id in ids)
                await store.AppendAsync([new NewEvent(Registered(id))]);
        })));

        Assert.Equal(ids.Length + "p1 p2".Split(' ').Length,
            place.Snapshot(place.Layout.Keys).Count(each => each.Key.Contains("%3a", StringComparison.Ordinal)));
        Assert.All(await place.OpenCustomers(Key).ReadAllAsync(), e => Assert.Equal("Ann Archer", ((CustomerRegistered)e.Data!).Name));
    }
}
