using System.Text;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Storage.Folders;
using Opossum.Testing;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;
using Opossum.Tests.Repair;

namespace Opossum.Tests.Opening;

/// <summary>What cannot be a store: said with its path and with what to do, and left as it was.</summary>
public sealed class BadFolderTests : IDisposable
{
    private readonly StorePlace place = StorePlace.On(VolumeKind.Ext4);

    public static TheoryData<string> StoreFilesThatAreNone =>
    [
        " ", "garbage", "{}", "[]", "null", "{\"format\":1}",
        "{\"format\":\"1\",\"id\":\"0199e0c1-0000-7000-8000-000000000001\",\"created\":\"2026-01-01T00:00:00Z\"}",
        "{\"format\":1,\"id\":\"no id\",\"created\":\"2026-01-01T00:00:00Z\"}",
        "{\"format\":1,\"id\":\"0199e0c1-0000-7000-8000-000000000001\",\"created\":\"yesterday\"}",
        "{\"format\":1.5,\"id\":\"0199e0c1-0000-7000-8000-000000000001\",\"created\":\"2026-01-01T00:00:00Z\"}", "{\"format\":1,", "\0\0\0\0",
        "{\"format\":0,\"id\":\"0199e0c1-0000-7000-8000-000000000001\",\"created\":\"2026-01-01T00:00:00Z\"}",
        "{\"format\":1,\"id\":\"0199e0c1-0000-7000-8000-000000000001\",\"created\":\"2026-01-01T00:00:00Z\"} trailing",
    ];

    public void Dispose() => place.Dispose();

    [Fact]
    public void A_path_that_is_a_file_is_refused()
    {
        place.Put(place.Root, "something"u8);

        AssertRefused(place.Root, $"{place.Root} is a file, but a store is a folder. Choose another path.");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void What_is_no_store_stays_none_when_told_so(bool isThere)
    {
        if (isThere)
            place.CreateFolder(place.Root);
        var before = place.Snapshot();

        var error = Assert.Throws<StoreOpenException>(() => place.Open(options => options.CreateIfMissing = false));

        Assert.Equal(place.Root, error.Path);
        Assert.Contains("and none is to be created (CreateIfMissing)", error.Message, StringComparison.Ordinal);
        Assert.Equal(before, place.Snapshot());
    }

    [Fact]
    public async Task A_store_is_opened_when_none_may_be_created()
    {
        await place.Open().AppendAsync([NewEvent.FromJson("a", "1")]);
        place.CloseStores();

        Assert.Equal(1, await place.Open(options => options.CreateIfMissing = false).GetHeadAsync());
    }

    [Fact]
    public void A_path_below_a_file_is_refused()
    {
        place.Put("/file", "something"u8);
        var error = Assert.Throws<StoreOpenException>(() => FileSystemEventStore.Open(place.Options(), place.Attach(), "/file/store"));

        Assert.Equal("/file/store", error.Path);
        Assert.Contains("A part of the path is a file; choose another path.", error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("notes.txt")]
    [InlineData("Events.bak")]
    [InlineData("events")]
    [InlineData(".git")]
    public void A_folder_that_holds_something_else_is_refused(string name)
    {
        place.Put($"{place.Root}/{name}", "mine"u8);
        place.Put($"{place.Root}/Thumbs.db", "harmless"u8);

        AssertRefused(place.Root, $"{place.Root} is not a store: it holds \"{name}\" and no store.json.", "Nothing was changed.");
    }

    [Fact]
    public void A_folder_with_event_files_outside_of_their_folders_does_not_become_a_store()
    {
        place.Put($"{place.Layout.Events}/0000000001.json", "{}"u8);

        AssertRefused(place.Root, "is not a store: it has no store.json, and Events/0000000001.json lies in no folder of positions",
            "opossum migrate", "Nothing was changed.");
    }

    [Fact]
    public async Task A_folder_that_holds_only_what_systems_leave_there_becomes_a_store()
    {
        foreach (var name in new[] { "desktop.ini", "Thumbs.db", ".DS_Store" })
            place.Put($"{place.Root}/{name}", "harmless"u8);
        foreach (var name in new[] { "lost+found", ".Trash-1000", "$RECYCLE.BIN", "System Volume Information", ".Trashes", ".fseventsd",
            ".Spotlight-V100" })
        {
            place.CreateFolder($"{place.Root}/{name}");
        }

        await place.Open().AppendAsync([Events.New("a")]);
        place.AssertClean();
    }

    [Fact]
    public async Task A_store_of_a_newer_format_is_refused()
    {
        await CreateStoreAsync();
        place.Put(place.Layout.StoreFile,
            Encoding.UTF8.GetBytes(Encoding.UTF8.GetString(place.Bytes(place.Layout.StoreFile)).Replace("\"format\": 1", "\"format\": 2",
                StringComparison.Ordinal)));

        AssertRefused(place.Layout.StoreFile,
            "has format 2, which is newer than format 1, the newest that this version of Opossum knows. Update Opossum; nothing was changed.");
        Assert.Equal(place.Layout.StoreFile, Assert.Throws<StoreOpenException>(place.Check).Path);
    }

    [Theory]
    [MemberData(nameof(StoreFilesThatAreNone))]
    public async Task A_store_file_that_is_none_is_refused(string text)
    {
        await CreateStoreAsync();
        place.Put(place.Layout.StoreFile, Encoding.UTF8.GetBytes(text));

        AssertRefused(place.Layout.StoreFile, $"{place.Layout.StoreFile} is not a store file",
            "remove only that file; it is written again if the folder has event files.", "until its replica follows it again. Nothing was changed.");
        var finding = Assert.Single(place.Check().Findings);
        Assert.Equal((FindingKind.BadStoreFile, place.Layout.StoreFile, Remedy.MoveAway), (finding.Kind, finding.Path, finding.Remedy));
        Assert.Equal([Remedy.MoveAway, Remedy.OpenStore], Remedies.ApplyAll(place, "/backup").Distinct());
    }

    [Theory]
    [InlineData(nameof(FileError.AccessDenied), "Give this process the right to write there, or choose another path.")]
    [InlineData(nameof(FileError.ReadOnly), "Give this process the right to write there, or choose another path.")]
    [InlineData(nameof(FileError.DiskFull), "Free some space.")]
    [InlineData(nameof(FileError.Other), "Check that the disk or the share can be reached.")]
    public void A_folder_that_cannot_be_written_is_refused(string error, string advice)
    {
        place.CreateFolder(place.Root);
        place.Disk!.Fail(new Fault { When = operation => operation.Changes, Error = Enum.Parse<FileError>(error), Lasts = true });

        AssertRefused(place.Layout.LockFile, $"The store in {place.Root} cannot be opened.", advice);
    }

    [Fact]
    public async Task A_store_that_has_become_read_only_is_refused()
    {
        await CreateStoreAsync();
        place.Disk!.Fail(new Fault { When = operation => operation.Changes, Error = FileError.ReadOnly, Lasts = true });

        AssertRefused(place.Layout.LockFile, "Give this process the right to write there");
    }

    [Fact]
    public async Task A_folder_that_this_user_may_not_write_is_refused()
    {
        Assert.SkipWhen(Environment.IsPrivilegedProcess || OperatingSystem.IsWindows(), "root may write anywhere");
        using var real = StorePlace.InFolder();
        real.CreateFolder(real.Root);
        if (!OperatingSystem.IsWindows())
            File.SetUnixFileMode(real.Root, UnixFileMode.UserRead | UnixFileMode.UserExecute);

        var error = await Assert.ThrowsAsync<StoreOpenException>(async () => await FileSystemEventStore.OpenAsync(real.Options()));
        Assert.Equal(real.Layout.LockFile, error.Path);
        Assert.Contains("Give this process the right to write there", error.Message, StringComparison.Ordinal);
        if (!OperatingSystem.IsWindows())
            File.SetUnixFileMode(real.Root, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute);
    }

    [Fact]
    public void A_store_is_created_where_the_folder_above_may_be_written_and_not_read()
    {
        place.Disk!.Fail(new Fault
        {
            When = operation => operation.Kind == OperationKind.FlushFolder && place.Root.StartsWith($"{operation.Path}/", StringComparison.Ordinal),
            Error = FileError.AccessDenied,
            Lasts = true,
        });

        place.Open();

        Assert.NotNull(StoreFile.Read(place.Attach(), place.Layout));
    }

    [Theory]
    [InlineData(nameof(VolumeKind.Smb))]
    [InlineData(nameof(VolumeKind.Nfs))]
    [InlineData(nameof(VolumeKind.Fuse))]
    public void On_a_network_file_system_a_journal_is_refused(string kind)
    {
        using var share = StorePlace.On(Enum.Parse<VolumeKind>(kind));
        share.CreateFolder(share.Root);
        var error = Assert.Throws<StoreOpenException>(() => share.Open(options => options.UseJournal = true));

        Assert.Equal(share.Root, error.Path);
        Assert.Contains("UseJournal = true is not possible", error.Message, StringComparison.Ordinal);
        Assert.Contains("Set it to false.", error.Message, StringComparison.Ordinal);
        Assert.Single(share.Snapshot());
    }

    [Theory]
    [InlineData(nameof(VolumeKind.Smb))]
    [InlineData(nameof(VolumeKind.Nfs))]
    [InlineData(nameof(VolumeKind.Fuse))]
    public void On_a_network_file_system_appending_without_flushing_is_refused(string kind)
    {
        using var share = StorePlace.On(Enum.Parse<VolumeKind>(kind));
        share.CreateFolder(share.Root);
        var error = Assert.Throws<StoreOpenException>(() => share.Open(options => options.FlushEventsImmediately = false));

        Assert.Equal(share.Root, error.Path);
        Assert.Contains("FlushEventsImmediately = false is not possible", error.Message, StringComparison.Ordinal);
        Assert.Contains("Set it to true.", error.Message, StringComparison.Ordinal);
        Assert.Single(share.Snapshot());
    }

    [Fact]
    public void A_volume_whose_locks_do_not_reach_other_machines_is_refused_with_its_reason()
    {
        place.CreateFolder(place.Root);
        place.Disk!.Volume = place.Disk.Volume with { LockRefusal = "The mount is made with nobrl. Mount it without." };

        AssertRefused(place.Root, $"The store in {place.Root} cannot be opened safely. The mount is made with nobrl. Mount it without.");
    }

    [Fact]
    public void Nothing_is_created_on_a_volume_that_is_refused()
    {
        place.Disk!.Volume = place.Disk.Volume with { LockRefusal = "It is mounted with nobrl." };

        Assert.Contains("It is mounted with nobrl.", Assert.Throws<StoreOpenException>(() => place.Open()).Message, StringComparison.Ordinal);
        Assert.Empty(place.Snapshot());
    }

    [Fact]
    public void A_file_system_whose_locks_exclude_nobody_is_refused()
    {
        place.Disk!.LockReach = LockReach.Nobody;
        var error = Assert.Throws<StoreOpenException>(() => place.Open());

        Assert.Equal(place.Layout.LockFile, error.Path);
        Assert.Contains("lets two handles lock the same byte", error.Message, StringComparison.Ordinal);
        Assert.Contains("Put the store on a file system with working locks", error.Message, StringComparison.Ordinal);
        // Nothing but the file that was tried, and the next try goes the same way.
        Assert.Equal([place.Root, place.Layout.LockFile], place.Snapshot().Keys);
        Assert.Throws<StoreOpenException>(() => place.Open());
    }

    [Theory]
    [InlineData(nameof(VolumeKind.Fuse), true, true)]
    [InlineData(nameof(VolumeKind.Fuse), false, false)]
    [InlineData(nameof(VolumeKind.Posix), true, false)] // a disk of this machine, which others have no part in
    public void A_shared_file_system_whose_locks_do_not_leave_this_machine_opens_and_the_log_says_so(string kind, bool stayHere, bool isLogged)
    {
        var disk = new SimulatedDisk(Enum.Parse<VolumeKind>(kind), new SimulatedClock()) { LocksStayHere = stayHere };
        var logger = new ListLogger();
        SteppedStore.Open(disk.Attach(), logger: logger);
        SteppedStore.Open(disk.Attach(), logger: logger);

        Assert.Equal(isLogged
            ? 2
            : 0, logger.Lines.Count(line => line == $"The store {SteppedStore.Root} may be used on this machine only: its file system "
            + $"{disk.Volume.Name} keeps locks on this machine, so they do not exclude other machines."));
    }

    [Fact]
    public async Task Options_out_of_range_are_refused_all_at_once_by_their_names()
    {
        var options = new OpossumOptions
        {
            Path = "  ",
            LockTimeout = TimeSpan.FromDays(2),
            TimeProvider = null!,
            Proof = new ProofOptions { CheckpointInterval = TimeSpan.FromDays(32) },
            Advanced =
            {
                MaxPayloadBytes = 0,
                RecoveryPatience = TimeSpan.FromSeconds(-1),
                SubscriptionPollInterval = TimeSpan.FromHours(2),
            },
        };
        var error = await Assert.ThrowsAsync<ArgumentException>(async () => await FileSystemEventStore.OpenAsync(options));

        Assert.Equal("options", error.ParamName);
        foreach (var name in new[] { "Path must name the store's folder", "LockTimeout must lie between 00:00:00 and 1.00:00:00, but is 2.00:00:00",
            "Proof.CheckpointInterval must lie between 00:00:01 and 31.00:00:00, but is 32.00:00:00",
            "Advanced.MaxPayloadBytes must lie between 1 and 134217728, but is 0",
            "Advanced.RecoveryPatience must lie between 00:00:00 and 00:10:00, but is -00:00:01",
            "Advanced.SubscriptionPollInterval must lie between 00:00:00.0010000 and 01:00:00, but is 02:00:00", "TimeProvider must not be null" })
        {
            Assert.Contains("OpossumOptions." + name, error.Message, StringComparison.Ordinal);
        }

        Assert.Equal("options", (await Assert.ThrowsAsync<ArgumentNullException>(async () => await FileSystemEventStore.OpenAsync(null!))).ParamName);
        Assert.Throws<ArgumentException>(() => InMemoryEventStore.Open(new OpossumOptions { Advanced = { MaxPayloadBytes = -1 } }));
    }

    [Fact]
    public async Task Options_that_are_set_after_the_call_have_no_effect()
    {
        using var real = StorePlace.InFolder();
        var options = real.Options();
        for (var round = 1; round <= 20; round++)
        {
            options.Path = $"{real.Root}-{round}";
            var opening = FileSystemEventStore.OpenAsync(options);
            options.Path = "";
            await using var store = await opening;
            Assert.Equal($"{real.Root}-{round}", (await store.GetStatusAsync()).Path);
        }
    }

    [Fact]
    public async Task Options_of_features_that_change_while_the_store_opens_have_no_effect()
    {
        using var real = StorePlace.InFolder();
        var options = real.Options();
        options.PersonalData.KeysFolder = Path.Combine(real.Root, "keys");
        var proof = options.Proof = new ProofOptions();
        using var loggers = new Asking(() =>
        {
            options.PersonalData.MasterKeyFile = Path.Combine(real.Root, "missing");
            proof.Witnesses.Add(real.Root);
        });
        options.LoggerFactory = loggers;

        await using var store = await FileSystemEventStore.OpenAsync(options, TestContext.Current.CancellationToken);

        Assert.NotEmpty(proof.Witnesses);
        Assert.Empty((await store.GetStatusAsync(cancellationToken: TestContext.Current.CancellationToken)).Proof!.Witnesses);
    }

    [Fact]
    public async Task A_path_that_is_too_long_is_refused_and_says_so()
    {
        using var real = StorePlace.InFolder();
        var options = real.Options();
        options.Path = Path.Combine(real.Root, new string('n', 300));

        var error = await Assert.ThrowsAsync<StoreOpenException>(() => FileSystemEventStore.OpenAsync(options));

        Assert.EndsWith(" Choose a shorter path.", error.Message, StringComparison.Ordinal);
        Assert.False(error.IsTransient);
    }

    [Fact]
    public async Task An_opening_that_was_cancelled_before_touches_nothing()
    {
        using var real = StorePlace.InFolder();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(async () => await FileSystemEventStore.OpenAsync(real.Options(),
            new CancellationToken(canceled: true)));

        Assert.False(real.Exists(real.Root));
    }

    [Fact]
    public async Task Folders_on_the_way_to_the_store_are_created()
    {
        await using var store = FileSystemEventStore.Open(place.Options(), place.Attach(), "/a/b/c");
        await store.AppendAsync([Events.New("a")]);

        Assert.True(place.Exists("/a/b/c/Events/0000000000/0000000001.json"));
    }

    private async Task CreateStoreAsync()
    {
        await place.Open().AppendAsync([Events.New("a")]);
        place.CloseStores();
    }

    private void AssertRefused(string path, params string[] messages)
    {
        var before = place.Snapshot("/");
        var error = Assert.Throws<StoreOpenException>(() => place.Open());

        Assert.Equal(path, error.Path);
        Assert.False(error.IsTransient);
        foreach (var message in messages)
            Assert.Contains(message, error.Message, StringComparison.Ordinal);
        Assert.Equal(before, place.Snapshot("/"));
    }

    /// <summary>Does something when an opening asks for its logger.</summary>
    private sealed class Asking(Action onLogger) : ILoggerFactory
    {
        public ILogger CreateLogger(string categoryName)
        {
            onLogger();
            return NullLogger.Instance;
        }

        public void AddProvider(ILoggerProvider provider)
        {
        }

        public void Dispose()
        {
        }
    }
}
