using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Storage.Folders;
using Opossum.Testing.Simulated;
using static Opossum.Tests.Events;

namespace Opossum.Tests.Damage;

/// <summary>What other programs and other users leave in a store: passed over and kept, or refused by name.</summary>
public sealed class StrangerTests : IDisposable
{
    private static readonly string[] strangers =
    [
        "0000000002 (conflicted copy).json", "0000000002 (Anna's conflicted copy 2026-11-21).json", "0000000002-OFFICE-2.json",
        "0000000002.sync-conflict-20261121-101530-ABCDEFG.json",
        ".0000000002.json.Xa1b2C", "0000000002.json.part", "0000000002.json~", "0000000002.json.bak", ".~lock.0000000002.json#", "~$0000000002.json",
        ".syncthing.0000000002.json.tmp",
        "2.json", "00000000002.json", "0000000002.JSON", "0000000002.json ", "+000000002.json", "٠٠٠٠٠٠٠٠٠٢.json",
        "types-and-tags.idx.old", "Thumbs.db:encryptable",
    ];

    private static readonly string[] harmless = ["desktop.ini", "Thumbs.db", ".DS_Store", ".nfs00000000004711"];

    private readonly StorePlace place = StorePlace.On(VolumeKind.Ext4, shardPositions: StoreLayout.ShardPositionsDefault);

    public void Dispose() => place.Dispose();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Foreign_files_in_every_folder_are_passed_over_kept_and_named(bool isRebuilt)
    {
        var whole = await WholeStore.CreateAsync(place);
        place.CreateFolder(place.Layout.Log);
        string[] folders = [place.Root, place.Layout.Events, place.Layout.ShardFolder(0), place.Layout.Index, place.Layout.Log];
        var foreign = folders.SelectMany(folder => strangers.Select(name => $"{folder}/{name}")).ToList();
        foreach (var path in foreign.Concat(folders.SelectMany(folder => harmless.Select(name => $"{folder}/{name}"))))
            place.Put(path, whole.Files[place.Layout.EventFile(2)]);
        place.CreateFolder($"{place.Layout.Events}/0000000000 (conflicted copy)");
        place.Put($"{place.Layout.Events}/0000000000 (conflicted copy)/0000000011.json", "x"u8);
        place.Put($"{place.Layout.Quarantine}/desktop.ini", "x"u8);
        if (isRebuilt)
            place.Delete(place.Layout.IndexFile);

        whole.AssertAnswers(place.Open(options => options.ReadOnly = true), whole.Head);
        var store = place.Open();
        whole.AssertAnswers(store, whole.Head);
        Assert.Equal(new AppendResult { FirstPosition = 11, LastPosition = 12 }, await store.AppendAsync([New("next"), New("next")]));
        place.CloseStores();

        foreach (var path in foreign)
            Assert.Equal(whole.Files[place.Layout.EventFile(2)], place.Bytes(path));
        var findings = place.Check().Findings;
        Assert.All(findings, each => Assert.Equal(FindingKind.ForeignFile, each.Kind));
        Assert.Equal(foreign.Append($"{place.Layout.Events}/0000000000 (conflicted copy)").Order(StringComparer.Ordinal),
            findings.Select(each => each.Path).Order(StringComparer.Ordinal));
    }

    [Theory]
    [InlineData("/store/store.json", "Open")]
    [InlineData("/store/.store.lock", "OpenOrCreate")]
    [InlineData("/store/Index/types-and-tags.idx", "Open")]
    [InlineData("/store/Log/0000000000.jsonl", "Open")]
    [InlineData("/store/Events", "List")]
    [InlineData("/store/Events/0000000000", "List")]
    [InlineData("/store/Events/0000000000/0000000001.json", "Open")]
    [InlineData("/store/Events/0000000000/0000000010.json", "Open")]
    public async Task What_this_user_may_not_open_is_named_and_nothing_is_changed(string path, string operationKind)
    {
        var kind = Enum.Parse<OperationKind>(operationKind);
        var whole = await WholeStore.CreateAsync(place);
        var before = place.Snapshot();
        var fault = new Fault { When = operation => operation.Kind == kind && operation.Path == path, Error = FileError.AccessDenied, Lasts = true };

        place.Disk!.Fail(fault);
        var error = Assert.Throws<StoreOpenException>(() => place.Open());
        Assert.Equal(path, error.Path);
        Assert.Contains("Give this process the right to write there", error.Message, StringComparison.Ordinal);
        if (kind != OperationKind.OpenOrCreate)
        {
            Assert.Contains("Give this process the right to read there.",
                Assert.Throws<StoreOpenException>(() => place.Open(options => options.ReadOnly = true)).Message, StringComparison.Ordinal);
        }

        place.Disk.Mend();
        Assert.Equal(before, place.Snapshot());
        whole.AssertAnswers(place.Open(), whole.Head);
    }

    [Fact]
    public async Task A_folder_that_becomes_read_only_under_an_open_store_refuses_appends_and_goes_on_being_read()
    {
        var folder = place.Layout.ShardFolder(0);
        var whole = await WholeStore.CreateAsync(place);
        var store = place.Open();
        place.Disk!.Fail(new Fault
        {
            When = operation => operation.Changes
            && operation.Path.StartsWith(folder, StringComparison.Ordinal),
            Error = FileError.AccessDenied,
            Lasts = true
        });

        var error = await Assert.ThrowsAsync<StoreIOException>(async () => await store.AppendAsync(Many(3)));
        Assert.StartsWith(folder, error.Path, StringComparison.Ordinal);
        Assert.Contains("Give this process the right to write there", error.Message, StringComparison.Ordinal);
        whole.AssertAnswers(store, whole.Head);
        place.Disk.Mend();
        Assert.Equal(new AppendResult { FirstPosition = 11, LastPosition = 13 }, await store.AppendAsync(Many(3)));
        place.AssertClean();
    }
}
