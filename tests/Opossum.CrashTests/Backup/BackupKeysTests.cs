using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Personal;
using Opossum.Storage.Folders;
using Opossum.Storage.Replicas;
using Opossum.Testing.Simulated;
using Opossum.Tests.Durability;
using Opossum.Tests.Personal;

namespace Opossum.Tests.Backup;

/// <summary>Keys of personal data in backups.</summary>
public sealed class BackupKeysTests(ITestOutputHelper output)
{
    private const string AnnsKey = "Keys/customer%3ac1.json";

    internal static CrashScenario[] CrashScenarios { get; } =
    [
        Crash("a backup of keys", Start, static disk => Run(disk.Attach()), CheckBackup),
        Crash("a restore of keys", static kind =>
        {
            var start = Start(kind);
            Run(start.Attach());
            return start;
        }, static disk => BackupPlace.RestoreUnlessDone(disk.Attach()), CheckRestored),
    ];

    [Fact]
    public void Keys_are_left_out_and_that_is_said()
    {
        var disk = NewDisk(VolumeKind.Ext4);

        var report = Run(disk.Attach(), includeKeys: false);

        Assert.Equal((true, null), (report.HasKeys, report.KeysCopied));
        Assert.Contains("The keys of personal data were left out", $"{report}", StringComparison.Ordinal);
        Assert.Equal(EntryKind.Missing, disk.Attach().GetKind($"{BackupPlace.Target}/Keys"));
        Assert.Equal([UnreadableReason.NoKey], Restored(disk).Select(each => each.Reason).Distinct());
    }

    [Fact]
    public void Keys_are_copied_when_told_and_restored()
    {
        var disk = NewDisk(VolumeKind.Ext4);

        var first = Run(disk.Attach());
        var second = Run(disk.Attach());

        Assert.True(first.KeysCopied > 1);
        Assert.Equal(0, second.KeysCopied);
        Assert.Empty(Restored(disk));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_person_who_is_forgotten_loses_the_key_in_the_backup_too(bool includeKeys)
    {
        var disk = NewDisk(VolumeKind.Ext4);
        Run(disk.Attach());
        Forget(disk);

        Run(disk.Attach(), includeKeys);

        Assert.DoesNotContain("\"key\"", ReadText(disk, $"{BackupPlace.Target}/{AnnsKey}"), StringComparison.Ordinal);
        Assert.Contains(UnreadableReason.Forgotten, Restored(disk).Select(each => each.Reason));
    }

    // The events name the person anyway, and a mark holds no secret.
    [Fact]
    public void The_mark_of_a_person_who_is_forgotten_comes_through_a_replica_without_keys()
    {
        var disk = NewDisk(VolumeKind.Ext4);
        Run(disk.Attach());
        ReplicaPlace.Update(disk.Attach());
        Assert.Equal(EntryKind.Missing, disk.Attach().GetKind($"{ReplicaPlace.Root}/Keys"));
        Forget(disk);
        ReplicaPlace.Update(disk.Attach());

        StoreBackup.Run(disk.Attach(), disk.LayoutOf(ReplicaPlace.Root), BackupPlace.Target, new BackupOptions(), disk.Clock);

        Assert.DoesNotContain("\"key\"", ReadText(disk, $"{BackupPlace.Target}/{AnnsKey}"), StringComparison.Ordinal);
        StoreBackup.Restore(disk.Attach(), disk.LayoutOf(ReplicaPlace.Root), BackupPlace.Restored, options: null, disk.Clock);
        CheckMarks(disk, BackupPlace.Restored);
    }

    [Theory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public void A_person_who_is_forgotten_after_the_keys_were_moved_loses_the_key_in_the_copy_too(bool isReplica, bool includeKeys)
    {
        var disk = NewDisk(VolumeKind.Ext4);
        var target = isReplica ? ReplicaPlace.Root : BackupPlace.Target;
        var client = disk.Attach();
        Update(client, isReplica);
        client.CreateFolder("/keys");
        foreach (var name in client.List($"{SteppedStore.Root}/Keys").Where(static name => name.EndsWith(".json", StringComparison.Ordinal)))
            client.Move($"{SteppedStore.Root}/Keys/{name}", $"/keys/{name}");
        Forget(disk, keysFolder: "/keys");

        Update(client, isReplica, includeKeys);

        Assert.DoesNotContain("\"key\"", ReadText(disk, "/keys/customer%3ac1.json"), StringComparison.Ordinal);
        Assert.DoesNotContain("\"key\"", ReadText(disk, $"{target}/{AnnsKey}"), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_forgetting_that_ends_after_it_was_listed_is_copied_too(bool isReplica)
    {
        var disk = NewDisk(VolumeKind.Ext4);
        var target = isReplica ? ReplicaPlace.Root : BackupPlace.Target;
        Update(disk.Attach(), isReplica);
        Forget(disk);
        // As before its end.
        var begun = $"{SteppedStore.Root}/Keys/customer%3ac1{StoreLayout.ForgettingEnding}";
        Write(disk.Attach(), begun, ReadText(disk, $"{SteppedStore.Root}/{AnnsKey}"));
        var client = disk.Attach();
        client.BeforeOperation = operation =>
        {
            if (operation.Kind == OperationKind.Open && operation.Path == begun)
                disk.Attach().Delete(begun);
        };

        Update(client, isReplica);

        Assert.DoesNotContain("\"key\"", ReadText(disk, $"{target}/{AnnsKey}"), StringComparison.Ordinal);
        Assert.Equal(EntryKind.Missing, disk.Attach().GetKind(begun));
    }

    [Theory]
    [InlineData(true, "{}")]
    [InlineData(false, "{}")]
    [InlineData(true, "{\"subject\":")]
    public void A_person_whose_forgetting_has_a_damaged_file_loses_the_key_in_the_copy_too(bool isReplica, string damage)
    {
        var disk = NewDisk(VolumeKind.Ext4);
        var target = isReplica ? ReplicaPlace.Root : BackupPlace.Target;
        Update(disk.Attach(), isReplica);
        Forget(disk);
        Write(disk.Attach(), $"{SteppedStore.Root}/Keys/customer%3ac1{StoreLayout.ForgettingEnding}", damage);

        Update(disk.Attach(), isReplica);

        Assert.DoesNotContain("\"key\"", ReadText(disk, $"{target}/{AnnsKey}"), StringComparison.Ordinal);
    }

    [Fact]
    public void A_mark_is_never_replaced_by_a_key()
    {
        var disk = NewDisk(VolumeKind.Ext4);
        Run(disk.Attach());
        var key = ReadText(disk, $"{SteppedStore.Root}/{AnnsKey}");
        Forget(disk);
        var mark = ReadText(disk, $"{SteppedStore.Root}/{AnnsKey}");
        var client = disk.Attach();
        client.CreateFolder("/new");
        client.CreateFolder(BackupPlace.Restored);
        client.CreateFolder($"{BackupPlace.Restored}/Keys");
        Write(client, $"{BackupPlace.Restored}/{AnnsKey}", mark);

        BackupPlace.Restore(disk.Attach());
        Assert.Equal(mark, ReadText(disk, $"{BackupPlace.Restored}/{AnnsKey}"));

        Run(disk.Attach());
        Write(client, $"{SteppedStore.Root}/{AnnsKey}", key);
        Run(disk.Attach());
        Assert.Equal(mark, ReadText(disk, $"{BackupPlace.Target}/{AnnsKey}"));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_copy_keeps_the_store_key_that_alone_decrypts_its_keys(bool isReplica)
    {
        var disk = NewDisk(VolumeKind.Ext4);
        var target = isReplica ? ReplicaPlace.Root : BackupPlace.Target;
        Update(disk.Attach(), isReplica);
        string StoreKey() => ReadText(disk, $"{target}/Keys/store-key.json");
        var (former, anns) = (StoreKey(), ReadText(disk, $"{target}/{AnnsKey}"));
        var client = disk.Attach();
        client.MoveFolder($"{SteppedStore.Root}/Keys", "/lost");
        AppendUnderAnotherStoreKey(disk, "c9");

        var error = Assert.Throws<StoreMaintenanceException>(() => Update(disk.Attach(), isReplica));

        Assert.Contains($"{target}/Keys", error.Message, StringComparison.Ordinal);
        Assert.Equal((former, anns), (StoreKey(), ReadText(disk, $"{target}/{AnnsKey}")));
        Assert.Equal(3, Read(disk, target).Events);
        if (!isReplica)
        {
            Assert.Throws<StoreMaintenanceException>(() => StoreBackup.Run(disk.Attach(), SteppedStore.LayoutOn(disk), target,
                new BackupOptions { IncludeKeys = true, DryRun = true }, disk.Clock));
        }
        client.MoveFolder($"{target}/Keys", "/former");
        Update(disk.Attach(), isReplica);
        Assert.Equal(ReadText(disk, $"{SteppedStore.Root}/Keys/store-key.json"), StoreKey());
        Assert.Equal(["customer:c1", "customer:c2"], Read(disk, target).Unreadable.Select(static each => $"{each.Subject}").Distinct()
            .Where(static each => each.StartsWith("customer", StringComparison.Ordinal)));
    }

    [Fact]
    public void Step_of_a_replica_takes_the_keys_once_the_former_ones_were_moved_away()
    {
        var disk = NewDisk(VolumeKind.Ext4);
        using var session = ReplicaSession.Open(disk.Attach(), SteppedStore.LayoutOn(disk), ReplicaPlace.Root,
            new ReplicaOptions { IncludeKeys = true }, disk.Clock, progress: null, CancellationToken.None);
        session.TryStep(isLast: false);
        var client = disk.Attach();
        client.MoveFolder($"{SteppedStore.Root}/Keys", "/lost");
        AppendUnderAnotherStoreKey(disk, "c9");

        var refused = session.TryStep(isLast: false)!;
        client.MoveFolder($"{ReplicaPlace.Root}/Keys", "/former");
        AppendUnderAnotherStoreKey(disk, "c8");
        var taken = session.TryStep(isLast: false)!;

        Assert.Contains($"{ReplicaPlace.Root}/Keys", refused.Problem, StringComparison.Ordinal);
        Assert.Null(taken.Problem);
        Assert.DoesNotContain(Read(disk, ReplicaPlace.Root).Unreadable, static each => each.Subject.Value is "c8" or "c9");
    }

    [Fact]
    public void A_damaged_key_is_an_error_and_its_copy_stays()
    {
        var disk = NewDisk(VolumeKind.Ext4);
        Run(disk.Attach());
        var key = ReadText(disk, $"{SteppedStore.Root}/{AnnsKey}");
        Write(disk.Attach(), $"{SteppedStore.Root}/{AnnsKey}", "{\"subject\":5}");

        var error = Assert.Throws<StoreMaintenanceException>(() => Run(disk.Attach()));

        Assert.Contains("is damaged", error.Message, StringComparison.Ordinal);
        Assert.Equal(key, ReadText(disk, $"{BackupPlace.Target}/{AnnsKey}"));
    }

    [Fact]
    public void A_damaged_key_is_nothing_to_a_backup_without_keys()
    {
        var disk = NewDisk(VolumeKind.Ext4);
        Write(disk.Attach(), $"{SteppedStore.Root}/{AnnsKey}", "{\"subject\":5}");

        Assert.Equal((true, null), (Run(disk.Attach(), includeKeys: false) is var report && report.HasKeys, report.KeysCopied));
    }

    // The mark of a person took the place of another store's key.
    [Fact]
    public void A_restore_without_keys_refuses_the_keys_of_another_store()
    {
        var (disk, other) = (NewDisk(VolumeKind.Ext4), NewDisk(VolumeKind.Ext4));
        Forget(disk);
        Run(disk.Attach(), includeKeys: false);
        Run(other.Attach());
        foreach (var folder in (string[])["/new", "/new/store", "/new/store/Keys"])
            disk.Attach().CreateFolder(folder);
        foreach (var name in (string[])["store-key.json", Path.GetFileName(AnnsKey)])
            Write(disk.Attach(), $"{BackupPlace.Restored}/Keys/{name}", ReadText(other, $"{BackupPlace.Target}/Keys/{name}"));

        var error = Assert.Throws<StoreMaintenanceException>(() => BackupPlace.Restore(disk.Attach()));

        Assert.Contains("has keys of another store", error.Message, StringComparison.Ordinal);
        // Nothing is copied for a refusal.
        Assert.Equal(EntryKind.Missing, disk.Attach().GetKind($"{BackupPlace.Restored}/{StoreLayout.EventsFolderStagingName}"));
        Assert.Contains("\"key\"", ReadText(disk, $"{BackupPlace.Restored}/{AnnsKey}"), StringComparison.Ordinal);
    }

    [Fact]
    public void A_damaged_key_does_not_keep_a_snapshot_from_being_made_and_none_is_removed()
    {
        const string Folder = "/snapshots";
        var disk = NewDisk(VolumeKind.Ext4);
        var options = new SnapshotOptions { IncludeKeys = true, KeepLast = 1 };
        Take();
        Write(disk.Attach(), $"{SteppedStore.Root}/{AnnsKey}", "{\"subject\":5}");
        Append(disk, "c3");

        var error = Assert.Throws<StoreMaintenanceException>(Take);

        Assert.Contains("is damaged", error.Message, StringComparison.Ordinal);
        Assert.Contains("All else was copied", error.Message, StringComparison.Ordinal);
        var snapshots = StoreBackup.ListSnapshots(disk.Attach(), disk.LayoutOf(Folder));
        Assert.Equal([2, 3], snapshots.Select(each => Read(disk, each.Path).Events));

        void Take() => StoreBackup.TakeSnapshot(disk.Attach(), SteppedStore.LayoutOn(disk), Folder, options, disk.Clock);
    }

    [Fact]
    public void A_backup_with_a_damaged_key_is_restored_and_the_key_named()
    {
        var disk = NewDisk(VolumeKind.Ext4);
        Run(disk.Attach());
        Write(disk.Attach(), $"{BackupPlace.Target}/{AnnsKey}", "{\"subject\":5}");

        var report = BackupPlace.Restore(disk.Attach());

        Assert.Contains($"{BackupPlace.Target}/{AnnsKey} is damaged", report.KeysProblem, StringComparison.Ordinal);
        Assert.Contains(report.KeysProblem!, report.ToString(), StringComparison.Ordinal);
        Assert.Equal(2, Read(disk, BackupPlace.Restored).Events);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_person_whose_key_came_after_the_copied_keys_is_counted_by_a_restore_and_a_promotion(bool isReplica)
    {
        var disk = NewDisk(VolumeKind.Ext4);
        Update(disk.Attach(), isReplica);
        Assert.Null(TakeOver(disk.Copy(), isReplica));
        Append(disk, "c3");
        Update(disk.Attach(), isReplica, includeKeys: false);

        const string Problem = "The personal data of 1 person cannot be read";
        if (!isReplica)
            Assert.Contains(Problem, BackupPlace.Restore(disk.Attach(), new RestoreOptions { DryRun = true }).KeysProblem, StringComparison.Ordinal);
        Assert.Contains(Problem, TakeOver(disk, isReplica), StringComparison.Ordinal);
    }

    [Fact]
    public void A_damaged_key_does_not_keep_a_replica_from_following()
    {
        var disk = NewDisk(VolumeKind.Ext4);
        ReplicaPlace.Update(disk.Attach(), includeKeys: true);
        Write(disk.Attach(), $"{SteppedStore.Root}/{AnnsKey}", "{\"subject\":5}");
        Append(disk, "c3");

        var error = Assert.Throws<StoreMaintenanceException>(() => ReplicaPlace.Update(disk.Attach(), includeKeys: true));

        Assert.Contains("is damaged", error.Message, StringComparison.Ordinal);
        Assert.Equal(3, Read(disk, ReplicaPlace.Root).Events);
    }

    [Fact]
    public void Replica_shows_no_value_before_it_has_the_key() => AssertNoKeyIsMissing(ReplicaPlace.Root,
        static client => ReplicaPlace.Update(client, includeKeys: true));

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Step_of_a_replica_reads_the_keys_that_are_new_and_all_after_a_forgetting(bool includeKeys)
    {
        var disk = NewDisk(VolumeKind.Ext4);
        ReplicaPlace.Update(disk.Attach(), includeKeys: true);
        using var session = ReplicaSession.Open(disk.Attach(), SteppedStore.LayoutOn(disk), ReplicaPlace.Root,
            new ReplicaOptions { IncludeKeys = includeKeys }, disk.Clock, progress: null, CancellationToken.None);
        session.TryStep(isLast: false);
        Append(disk, "c3");
        session.TryStep(isLast: false);
        Append(disk, "c1");

        Assert.Equal([], KeysReadIn(disk, session));
        Append(disk, "c4");
        Assert.Equal(["customer%3ac4.json"], KeysReadIn(disk, session));
        Forget(disk);
        KeysReadIn(disk, session);

        Assert.DoesNotContain("\"key\"", ReadText(disk, $"{ReplicaPlace.Root}/{AnnsKey}"), StringComparison.Ordinal);
        var unreadable = Read(disk, ReplicaPlace.Root).Unreadable;
        Assert.Contains(unreadable, static each => each.Reason == UnreadableReason.Forgotten);
        Assert.Equal(includeKeys, !unreadable.Exists(static each => each.Reason == UnreadableReason.NoKey));
    }

    [Fact]
    public void Step_of_a_replica_takes_another_master_key()
    {
        var disk = NewDisk(VolumeKind.Ext4);
        using var session = ReplicaSession.Open(disk.Attach(), SteppedStore.LayoutOn(disk), ReplicaPlace.Root,
            new ReplicaOptions { IncludeKeys = true }, disk.Clock, progress: null, CancellationToken.None);
        session.TryStep(isLast: false);
        var other = ReadText(disk, $"{SteppedStore.Root}/Keys/store-key.json") + "\n";
        Write(disk.Attach(), $"{SteppedStore.Root}/Keys/store-key.json", other);
        Append(disk, "c1");

        session.TryStep(isLast: false);

        Assert.Equal(other, ReadText(disk, $"{ReplicaPlace.Root}/Keys/store-key.json"));
    }

    [Fact]
    public void Interrupted_backup_has_the_keys_of_what_was_copied() => AssertNoKeyIsMissing(BackupPlace.Target, static client => Run(client));

    [Fact]
    public void Whatever_kills_a_backup_of_keys_the_next_run_completes_it() =>
        Cases.TryEach(VolumeKinds.All.Select(static kind => new CaseGroup<Interrupted>(() => CasesOn(kind))), Interrupt, output, share: 0.25);

    [Fact]
    public void Power_cut_leaves_keys_that_the_next_run_completes() =>
        Cases.TryEach(CrashCut.Groups(CrashScenarios, VolumeKinds.All), CrashCut.Try, output, Cases.PowerCuts, share: 0.25);

    // The person c1 is forgotten after a first backup, and c3 is new.
    private static SimulatedDisk Start(VolumeKind kind)
    {
        var start = NewDisk(kind);
        Run(start.Attach());
        Forget(start);
        Append(start, "c3");
        return start;
    }

    private static CrashScenario Crash(string name, Func<VolumeKind, SimulatedDisk> prepare, Action<SimulatedDisk> play,
        Action<SimulatedDisk> check) => new(name, kind =>
    {
        var start = prepare(kind);
        return () =>
        {
            var disk = start.Copy();
            return CrashRun.Of(disk, () => play(disk), CheckAfter);

            void CheckAfter(SimulatedDisk left, PowerCut cut, bool isDone)
            {
                if (isDone)
                    check(left.Copy());
                play(left);
                check(left.AfterPowerCut(new PowerCut(PowerCutMode.LosesAll)));
            }
        };
    });

    // Whatever is there at any moment can be read with the keys that are there.
    private static void AssertNoKeyIsMissing(string root, Action<SimulatedFileSystem> copy)
    {
        var disk = NewDisk(VolumeKind.Ext4);
        var client = disk.Attach();
        var most = 0;
        client.BeforeOperation = operation =>
        {
            if (!operation.Changes || StoreFile.Read(disk.Copy().Attach(), disk.LayoutOf(root)) is null)
                return;
            var (count, unreadable) = Read(disk.Copy(), root);
            most = Math.Max(most, count);
            Assert.DoesNotContain(unreadable, static each => each.Reason == UnreadableReason.NoKey);
        };
        copy(client);
        Assert.Equal(2, most);
    }

    private static (int Events, List<UnreadableMember> Unreadable) Read(SimulatedDisk disk, string root)
    {
        using var store = Open(disk, root, readOnly: true);
        var events = Promises.Read(store, Query.All);
        return (events.Count, [.. events.SelectMany(static each => each.UnreadableMembers)]);
    }

    // The files of persons that a step reads in the store.
    private static List<string> KeysReadIn(SimulatedDisk disk, ReplicaSession session)
    {
        disk.Trace = [];
        Assert.NotNull(session.TryStep(isLast: false));
        var folder = $"{SteppedStore.Root}/Keys/";
        var read = disk.Trace.FindAll(each => each.Kind == OperationKind.Read && each.Path.StartsWith($"{folder}customer", StringComparison.Ordinal));
        disk.Trace = null;
        return [.. read.Select(each => each.Path[folder.Length..]).Distinct()];
    }

    private static List<Interrupted> CasesOn(VolumeKind kind)
    {
        var start = Start(kind);
        var client = start.Copy().Attach();
        var changes = 0;
        client.BeforeOperation = operation => changes += operation.Changes ? 1 : 0;
        Run(client);
        return [.. Enumerable.Range(0, changes).Select(at => new Interrupted(kind, start, at))];
    }

    private static int Interrupt(Interrupted each)
    {
        var disk = each.Start.Copy();
        var client = disk.Attach();
        var changes = 0;
        client.BeforeOperation = operation =>
        {
            if (operation.Changes && changes++ == each.At)
                client.Kill();
        };
        Attempt.UntilTheEnd(() => Run(client));
        Assert.True(client.IsKilled);
        client.BeforeOperation = null;
        Run(disk.Attach());
        CheckBackup(disk.AfterPowerCut(new PowerCut(PowerCutMode.LosesAll)));
        return 1;
    }

    private static void CheckBackup(SimulatedDisk disk)
    {
        CheckMarks(disk, BackupPlace.Target);
        BackupPlace.Restore(disk.Attach());
        CheckRestored(disk);
    }

    // Under the identifier and under the pseudonym.
    private static void CheckMarks(SimulatedDisk disk, string root)
    {
        var marks = disk.Attach().List($"{root}/Keys").Where(name => name.EndsWith(".json", StringComparison.Ordinal)
            && ReadText(disk, $"{root}/Keys/{name}").Contains("\"forgotten\"", StringComparison.Ordinal)).ToList();
        Assert.Equal(2, marks.Count);
        Assert.Contains(Path.GetFileName(AnnsKey), marks);
    }

    // What cannot be read there is Ann's, who was forgotten.
    private static void CheckRestored(SimulatedDisk disk)
    {
        CheckMarks(disk, BackupPlace.Restored);
        Assert.Equal(EntryKind.File, disk.Attach().GetKind(disk.LayoutOf(BackupPlace.Restored).PersonalFile));
        Assert.All(LostOf(disk), lost => Assert.Equal((Customers.Ann, UnreadableReason.Forgotten), (lost.Subject, lost.Reason)));
    }

    // Gives the problem of the keys.
    private static string? TakeOver(SimulatedDisk disk, bool isReplica) => isReplica
        ? StoreReplica.Promote(disk.Attach(), disk.LayoutOf(ReplicaPlace.Root), disk.Clock).KeysProblem
        : BackupPlace.Restore(disk.Attach()).KeysProblem;

    private static void Update(SimulatedFileSystem from, bool isReplica, bool includeKeys = true)
    {
        if (isReplica)
            ReplicaPlace.Update(from, includeKeys: includeKeys);
        else
            Run(from, includeKeys);
    }

    private static SimulatedDisk NewDisk(VolumeKind kind)
    {
        var disk = new SimulatedDisk(kind, new SimulatedClock());
        Append(disk, "c1");
        Append(disk, "c2");
        return disk;
    }

    private static void Append(SimulatedDisk disk, string id)
    {
        using var store = Open(disk, SteppedStore.Root);
        store.AppendAsync([new NewEvent(Customers.Registered(id))]).GetAwaiter().GetResult();
    }

    // The store has no other values of this person.
    private static void AppendUnderAnotherStoreKey(SimulatedDisk disk, string id)
    {
        using var store = Open(disk, SteppedStore.Root, lostKey: StoreKeyMark.Read(disk.Attach(), SteppedStore.LayoutOn(disk))!.KeyId);
        store.AppendAsync([new NewEvent(Customers.Registered(id) with { Contacts = null })]).GetAwaiter().GetResult();
    }

    private static void Forget(SimulatedDisk disk, string? keysFolder = null)
    {
        using var store = Open(disk, SteppedStore.Root, keysFolder: keysFolder);
        store.ForgetAsync(Customers.Ann, "asked for it").GetAwaiter().GetResult();
    }

    private static BackupReport Run(SimulatedFileSystem client, bool includeKeys = true) => StoreBackup.Run(client,
        SteppedStore.LayoutOn(client.Disk), BackupPlace.Target, new BackupOptions { IncludeKeys = includeKeys }, client.Disk.Clock);

    // What cannot be read in a store that is restored from the backup.
    private static List<UnreadableMember> Restored(SimulatedDisk disk)
    {
        BackupPlace.Restore(disk.Attach());
        return LostOf(disk);
    }

    private static List<UnreadableMember> LostOf(SimulatedDisk disk)
    {
        using var store = Open(disk, BackupPlace.Restored);
        return [.. Promises.Read(store, Query.For<CustomerRegistered>()).SelectMany(each => each.UnreadableMembers)];
    }

    private static FileSystemEventStore Open(SimulatedDisk disk, string root, bool readOnly = false, string? keysFolder = null,
        string? lostKey = null)
    {
        var options = new OpossumOptions
        {
            Path = root,
            ReadOnly = readOnly,
            TimeProvider = disk.Clock,
            PersonalData = { MasterKey = Customers.Key, KeysFolder = keysFolder, LostStoreKey = lostKey }
        };
        options.EventTypes.Add<CustomerRegistered>();
        return FileSystemEventStore.Open(options, disk.Attach(), root);
    }

    private static string ReadText(SimulatedDisk disk, string path)
    {
        using var file = disk.Attach().Open(path, FileOpening.Read)!;
        var bytes = new byte[file.GetLength()];
        file.Read(bytes, 0);
        return System.Text.Encoding.UTF8.GetString(bytes);
    }

    private static void Write(SimulatedFileSystem client, string path, string text)
    {
        using var file = DurableFile.CreateAgain(client, path);
        file.Write(System.Text.Encoding.UTF8.GetBytes(text), 0);
        file.Flush();
        client.FlushFolder(FilePath.FolderOf(path)!);
    }

    // The number of the operation, among those that change something.
    private sealed record Interrupted(VolumeKind Kind, SimulatedDisk Start, int At)
    {
        public override string ToString() => $"{Kind}, killed at change {At}";
    }
}
