using System.Text;
using Opossum.FileSystem;
using Opossum.FileSystem.Real;
using Opossum.Following;
using Opossum.Maintenance;
using Opossum.Projections.States;
using Opossum.Reactions.Files;
using Opossum.Storage.Folders;
using Opossum.Testing.Simulated;
using Opossum.Tests.Reactions;

namespace Opossum.Tests.Personal;

/// <summary>
/// Errors of handlers that repeat a person's data are taken out of the files, whatever is written after that, and
/// nothing else is.
/// </summary>
public sealed class HandlerTracesTests : IDisposable
{
    private static readonly Tag ann = Customers.Ann;

    private readonly string folder = Directory.CreateTempSubdirectory("opossum-").FullName;

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    private string Store => Path.Combine(folder, "store");

    public void Dispose() => Directory.Delete(folder, recursive: true);

    [Fact]
    public async Task Times_ids_and_names_stay_when_a_value_of_the_person_is_in_them()
    {
        await using var store = await OpenAsync();
        var reaction = new RecordingReaction(ReactionStart.Head, (_, _) => throw new InvalidOperationException("no mailbox for placed"));
        await using var reactions = store.StartReactions([reaction], new ReactionOptions { MaxRetryAttempts = 0 });
        await using var projections = store.StartProjections([new FailingAtFirst()], new ProjectionOptions { MaxRetryAttempts = 0 });
        await store.AppendAsync([
            new NewEvent(Customers.Registered() with { Name = "Placed", BirthYear = DateTime.UtcNow.Year }),
            RecordingReaction.Placed("a"), RecordingReaction.Placed("b")], cancellationToken: Cancellation);
        await reactions.WaitForAsync(3, Cancellation);
        await store.Reactions["recording"].SkipAsync(2, "no reason", cancellationToken: Cancellation);
        await Assert.ThrowsAsync<ProjectionException>(() => store.Projections.Get<string>("failing").WaitForAsync(3, Cancellation));
        var parked = Assert.Single(await store.Reactions["recording"].ReadParkedAsync(cancellationToken: Cancellation));

        var result = await store.ForgetAsync(ann, "asked for it", Cancellation);

        Assert.Equal([], result.Remaining);
        var now = Assert.Single(await store.Reactions["recording"].ReadParkedAsync(cancellationToken: Cancellation));
        Assert.Equal((parked.Id, parked.Type, parked.ParkedAt, null), (now.Id, now.Type, now.ParkedAt, now.Problem));
        Assert.Contains("no mailbox for (forgotten)", now.Attempts[^1].Error, StringComparison.Ordinal);
        Assert.Equal("placed", (await store.Projections["failing"].GetStatusAsync(Cancellation)).Fault?.EventType);
    }

    [Fact]
    public async Task A_value_that_was_cut_with_its_error_is_taken_out_too()
    {
        var name = string.Concat(Enumerable.Range(0, 700).Select(static each => $"{each:x3} "));
        await using var store = await OpenAsync();
        var reaction = new RecordingReaction(ReactionStart.Head, (_, _) => throw new InvalidOperationException($"no mailbox for {name}"));
        await using var reactions = store.StartReactions([reaction],
            new ReactionOptions { MaxRetryAttempts = 1, RetryDelay = TimeSpan.Zero });
        await store.AppendAsync([new NewEvent(Customers.Registered() with { Name = name }), RecordingReaction.Placed("a")],
            cancellationToken: Cancellation);
        await reactions.WaitForAsync(2, Cancellation);

        var result = await store.ForgetAsync(ann, "asked for it", Cancellation);

        Assert.Equal([], result.Remaining);
        var parked = Assert.Single(await store.Reactions["recording"].ReadParkedAsync(cancellationToken: Cancellation));
        Assert.Contains("no mailbox for (forgotten)...", parked.Attempts[0].Error, StringComparison.Ordinal);
        Assert.All(parked.Attempts, static each => Assert.DoesNotContain("0a1 0a2", each.Error, StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_retry_after_the_person_was_forgotten_gets_no_value_and_parks_no_earlier_error()
    {
        await using var store = await OpenAsync();
        var mailing = new Mailing(ReactionStart.Head);
        var options = new ReactionOptions { MaxRetryAttempts = 2, RetryDelay = TimeSpan.Zero };
        await using var reactions = store.StartReactions([mailing], options);
        await store.AppendAsync([new NewEvent(Customers.Registered())], cancellationToken: Cancellation);
        await mailing.Second.Task.WaitAsync(Cancellation);

        await store.ForgetAsync(ann, "asked for it", Cancellation);
        mailing.Forgotten.SetResult();
        await reactions.WaitForAsync(1, Cancellation);

        Assert.Equal(["ann@example.org", "ann@example.org", "(forgotten)"], mailing.Addresses);
        Assert.Equal([1, 2, 3], Assert.Single(await store.Reactions["mailing"].ReadParkedAsync(cancellationToken: Cancellation))
            .Attempts.Select(static each => each.Number));
        await AssertGoneAsync();
    }

    [Fact]
    public async Task A_projection_keeps_no_error_of_an_attempt_before_the_forgetting()
    {
        await using var store = await OpenAsync();
        await using var other = await OpenAsync();
        var failing = new ForgettingFirst(() => other.ForgetAsync(ann, "asked for it", Cancellation).GetAwaiter().GetResult());
        await store.AppendAsync([new NewEvent(Customers.Registered())], cancellationToken: Cancellation);
        await using var projections = store.StartProjections([failing], new ProjectionOptions { MaxRetryAttempts = 0 });

        var stopped = await Assert.ThrowsAsync<ProjectionException>(() => store.Projections.Get<string>("forgetting").WaitForAsync(1, Cancellation));

        Assert.DoesNotContain("ann@example.org", stopped.ToString(), StringComparison.Ordinal);
        Assert.Contains("a person was forgotten", (await store.Projections["forgetting"].GetStatusAsync(Cancellation)).Fault?.Error,
            StringComparison.Ordinal);
        await AssertGoneAsync();
    }

    [Fact]
    public async Task A_skip_after_the_person_was_forgotten_does_not_write_the_error_again()
    {
        await using var store = await OpenAsync();
        await using var projections = store.StartProjections([new FailingAtFirst()], new ProjectionOptions { MaxRetryAttempts = 0 });
        await store.AppendAsync([new NewEvent(Customers.Registered()), RecordingReaction.Placed("a"), RecordingReaction.Placed("b")],
            cancellationToken: Cancellation);
        await Assert.ThrowsAsync<ProjectionException>(() => store.Projections.Get<string>("failing").WaitForAsync(3, Cancellation));

        await store.ForgetAsync(ann, "asked for it", Cancellation);
        await store.Projections["failing"].SkipAsync(2, "has left", cancellationToken: Cancellation);
        await store.Projections.Get<string>("failing").WaitForAsync(4, Cancellation);

        await AssertGoneAsync();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_skip_while_another_process_forgets_the_person_writes_neither_error_nor_reason(bool isReaction)
    {
        using var place = StorePlace.On(VolumeKind.Ext4, TimeProvider.System);
        var files = (SimulatedFileSystem)place.Attach();
        var (store, other) = (Open(files), Open(place.Attach()));
        await store.AppendAsync([new NewEvent(Customers.Registered()), RecordingReaction.Placed("a")], cancellationToken: Cancellation);
        var failing = new RecordingReaction(ReactionStart.Beginning, static (_, _) => throw new InvalidOperationException("no mailbox ann@example.org"));
        await using var running = isReaction
            ? store.StartReactions([failing], new ReactionOptions { MaxRetryAttempts = 0 })
            : store.StartProjections([new FailingAtFirst()], new ProjectionOptions { MaxRetryAttempts = 0 });
        var skip = isReaction ? new ReactionLayout(place.Layout.Reactions, "recording").SkippedFile(2)
            : new ProjectionLayout(place.Layout.Projections, "failing").SkipFile(1, 2);
        var isForgotten = false;
        files.BeforeOperation = operation =>
        {
            if (isForgotten || operation.Kind != OperationKind.CreateNew || operation.Path != LedFolder.StagingOf(skip))
                return;
            isForgotten = true;
            other.ForgetAsync(ann, "asked for it", Cancellation).GetAwaiter().GetResult();
        };

        if (isReaction)
        {
            await running.WaitForAsync(2, Cancellation);
            await store.Reactions["recording"].SkipAsync(2, "wrote to ann@example.org", cancellationToken: Cancellation);
        }
        else
        {
            await Assert.ThrowsAsync<ProjectionException>(() => store.Projections.Get<string>("failing").WaitForAsync(2, Cancellation));
            await store.Projections["failing"].SkipAsync(2, "wrote to ann@example.org", cancellationToken: Cancellation);
        }

        Assert.True(isForgotten);
        var written = Encoding.UTF8.GetString(place.Bytes(skip));
        Assert.Contains("a person was forgotten", written, StringComparison.Ordinal);
        Assert.DoesNotContain("ann@example.org", written, StringComparison.Ordinal);

        FileSystemEventStore Open(IFileSystem from) => place.Open(from, static options =>
        {
            options.EventTypes.Add<CustomerRegistered>();
            options.PersonalData.MasterKey = Customers.Key;
        });
    }

    [Fact]
    public async Task The_error_of_a_projection_into_a_database_is_taken_out_of_the_store()
    {
        await using var store = await OpenAsync();
        await store.AppendAsync([new NewEvent(Customers.Registered())], cancellationToken: Cancellation);
        using var files = RealFileSystem.Create();
        var layout = new ProjectionLayout(new StoreLayout(Store).Projections, "rows");
        files.CreateFolder(new StoreLayout(Store).Projections);
        files.CreateFolder(layout.Root);
        RowFile.Write(files, layout, new PositionRow
        {
            Name = "rows",
            Version = 1,
            FaultPosition = 1,
            FaultType = "customer-registered",
            FaultError = "ann@example.org is no mailbox",
            FaultAt = DateTimeOffset.UnixEpoch,
        });

        var result = await store.ForgetAsync(ann, "asked for it", Cancellation);

        Assert.Equal([layout.RowFile], result.Blanked);
        Assert.Equal(("customer-registered", "(forgotten) is no mailbox"),
            RowFile.Read(files, layout)?.Fault is { } fault ? (fault.EventType, fault.Error) : default);
        await AssertGoneAsync();
    }

    [Fact]
    public async Task A_value_that_is_a_part_of_other_words_stays_there_and_its_file_is_not_named()
    {
        await using var store = await OpenAsync();
        var reaction = new RecordingReaction(ReactionStart.Head, async (context, cancellationToken) =>
        {
            await context.ScheduleAsync(DateTimeOffset.MaxValue, NewEvent.FromJson("reminder", """{"of":"Articles"}"""), null, cancellationToken);
            throw new InvalidOperationException("no Articles for Art");
        });
        await using var reactions = store.StartReactions([reaction], new ReactionOptions { MaxRetryAttempts = 0 });
        await store.AppendAsync([new NewEvent(Customers.Registered() with { Name = "Art" }), RecordingReaction.Placed("a")],
            cancellationToken: Cancellation);
        await reactions.WaitForAsync(2, Cancellation);

        var result = await store.ForgetAsync(ann, "asked for it", Cancellation);

        Assert.Equal([], result.Remaining);
        var parked = Assert.Single(await store.Reactions["recording"].ReadParkedAsync(cancellationToken: Cancellation));
        Assert.Contains("no Articles for (forgotten)", parked.Attempts[^1].Error, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("Email", false)]
    [InlineData("Type", false)]
    [InlineData("Reminder", false)]
    [InlineData("email", true)]
    [InlineData("No value", true)]
    [InlineData("note", true)]
    public async Task A_scheduled_event_is_named_for_a_value_of_the_person_in_its_data_and_not_for_the_names_of_members(string name, bool isNamed)
    {
        await using var store = await OpenAsync();
        var reaction = new RecordingReaction(ReactionStart.Head, (context, cancellationToken) => context.ScheduleAsync(DateTimeOffset.MaxValue,
            NewEvent.FromJson("reminder", """{"email":"no value"}""", new Tag("kind", "note")), null, cancellationToken));
        await using var reactions = store.StartReactions([reaction], new ReactionOptions { MaxRetryAttempts = 0 });
        await store.AppendAsync([new NewEvent(Customers.Registered() with { Name = name }), RecordingReaction.Placed("a")],
            cancellationToken: Cancellation);
        await reactions.WaitForAsync(2, Cancellation);

        var result = await store.ForgetAsync(ann, "asked for it", Cancellation);

        Assert.Equal(isNamed ? Directory.GetFiles(Path.Combine(Store, "Reactions", "recording", "due")) : [],
            result.Remaining.Select(static each => each.Path));
    }

    [Fact]
    public async Task A_retry_on_a_share_with_a_late_view_gets_no_value_of_a_person_that_another_machine_has_forgotten()
    {
        using var share = StorePlace.On(VolumeKind.Nfs, TimeProvider.System);
        await using var store = share.OpenCustomers(Customers.Key);
        await store.AppendAsync([new NewEvent(Customers.Registered())], cancellationToken: Cancellation);
        await using var other = share.Open(share.Disk!.Attach(TimeSpan.FromMinutes(1)), static options =>
        {
            options.EventTypes.Add<CustomerRegistered>();
            options.PersonalData.MasterKey = Customers.Key;
        });
        var mailing = new Mailing(ReactionStart.Beginning);
        await using var reactions = other.StartReactions([mailing], new ReactionOptions { MaxRetryAttempts = 2, RetryDelay = TimeSpan.Zero });
        await mailing.Second.Task.WaitAsync(Cancellation);

        await store.ForgetAsync(ann, "asked for it", Cancellation);
        mailing.Forgotten.SetResult();
        await reactions.WaitForAsync(1, Cancellation);

        Assert.Equal(["ann@example.org", "ann@example.org", "(forgotten)"], mailing.Addresses);
    }

    [Theory]
    [InlineData("for J\u00fcrgen Zo\u00eb.")]
    [InlineData("for J\\u00fcrgen Zo\\u00eb.")]
    public async Task A_value_is_taken_out_also_as_JSON_writes_its_letters(string error)
    {
        await using var store = await OpenAsync();
        var reaction = new RecordingReaction(ReactionStart.Head, (_, _) => throw new InvalidOperationException(error));
        await using var reactions = store.StartReactions([reaction], new ReactionOptions { MaxRetryAttempts = 0 });
        await store.AppendAsync([new NewEvent(Customers.Registered() with { Name = "J\u00fcrgen Zo\u00eb" }), RecordingReaction.Placed("a")],
            cancellationToken: Cancellation);
        await reactions.WaitForAsync(2, Cancellation);

        var result = await store.ForgetAsync(ann, "asked for it", Cancellation);

        Assert.Equal([], result.Remaining);
        var parked = Assert.Single(await store.Reactions["recording"].ReadParkedAsync(cancellationToken: Cancellation));
        Assert.Contains("for (forgotten).", parked.Attempts[^1].Error, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Files_that_a_crash_left_before_they_had_their_names_are_blanked_too_and_go_with_the_others()
    {
        await using var store = await OpenAsync();
        await using var projections = store.StartProjections([new FailingAtFirst()], new ProjectionOptions { MaxRetryAttempts = 0 });
        await store.AppendAsync([new NewEvent(Customers.Registered()), RecordingReaction.Placed("a"), RecordingReaction.Placed("b")],
            cancellationToken: Cancellation);
        await Assert.ThrowsAsync<ProjectionException>(() => store.Projections.Get<string>("failing").WaitForAsync(3, Cancellation));
        var fault = Assert.Single(Directory.GetFiles(Store, "fault.json", SearchOption.AllDirectories));
        File.Copy(fault, LedFolder.StagingOf(fault));
        var row = new ProjectionLayout(new StoreLayout(Store).Projections, "failing").RowFile;
        File.Copy(fault, LedFolder.StagingOf(row));

        var result = await store.ForgetAsync(ann, "asked for it", Cancellation);

        Assert.Equal([], result.Remaining);
        await AssertGoneAsync();
        await store.Projections["failing"].SkipAsync(2, "has left", cancellationToken: Cancellation);
        await store.Projections.Get<string>("failing").WaitForAsync(4, Cancellation);
        Assert.False(File.Exists(LedFolder.StagingOf(fault)));
    }

    [Fact]
    public async Task What_a_leader_writes_while_a_file_is_blanked_stays()
    {
        using var place = StorePlace.On(VolumeKind.Ext4, TimeProvider.System);
        var (files, other) = ((SimulatedFileSystem)place.Attach(), place.Attach());
        await using var store = place.Open(files, static options =>
        {
            options.EventTypes.Add<CustomerRegistered>();
            options.PersonalData.MasterKey = Customers.Key;
        });
        await store.AppendAsync([new NewEvent(Customers.Registered())], cancellationToken: Cancellation);
        var layout = new ProjectionLayout(place.Layout.Projections, "rows");
        place.CreateFolder(layout.Root);
        var row = new PositionRow { Name = "rows", Version = 1 };
        RowFile.Write(other, layout, row.With(new ProjectionFault
        {
            Position = 1,
            EventType = "customer-registered",
            Error = "ann@example.org is no mailbox",
            At = DateTimeOffset.UnixEpoch,
        }));
        var hasContinued = false;
        files.BeforeOperation = operation =>
        {
            if (hasContinued || operation.Kind != OperationKind.CreateNew || operation.Path != LedFolder.StagingOf(layout.RowFile))
                return;
            hasContinued = true;
            RowFile.Write(other, layout, row with { Position = 1 });
        };

        await store.ForgetAsync(ann, "asked for it", Cancellation);

        Assert.True(hasContinued);
        Assert.Equal((1, null), (RowFile.Read(other, layout)!.Position, RowFile.Read(other, layout)!.Fault));
    }

    private async Task AssertGoneAsync()
    {
        var report = await PersonalDataSearch.RunAsync(Store, "ann@example.org", cancellationToken: Cancellation);
        Assert.True(report.Total == 0, string.Join('\n', report.Hits));
    }

    private Task<FileSystemEventStore> OpenAsync()
    {
        var options = new OpossumOptions { Path = Store };
        options.EventTypes.Add<CustomerRegistered>();
        options.PersonalData.MasterKey = Customers.Key;
        return FileSystemEventStore.OpenAsync(options, Cancellation);
    }

    private sealed class Mailing : Reaction
    {
        public Mailing(ReactionStart start)
            : base("mailing")
        {
            StartFrom(start);
            KeyBy("customer");
            On<CustomerRegistered>(async (e, context, _) =>
            {
                Addresses.Add(e.Email);
                if (context.Attempt == 2)
                {
                    Second.SetResult();
                    await Forgotten.Task;
                }
                throw new InvalidOperationException($"no mailbox {e.Email}");
            });
        }

        public List<string> Addresses { get; } = [];

        public TaskCompletionSource Second { get; } = new();

        public TaskCompletionSource Forgotten { get; } = new();
    }

    private sealed class FailingAtFirst : Projection<string>
    {
        public FailingAtFirst()
            : base("failing") => On("placed", static _ => "all",
                static (_, e) => e.Position == 2 ? throw new InvalidOperationException("no mailbox ann@example.org for placed") : "done");
    }

    private sealed class ForgettingFirst : Projection<string>
    {
        public ForgettingFirst(Action forget)
            : base("forgetting") => On<CustomerRegistered>(static _ => "all", (_, e) =>
            {
                var email = e.Email;
                forget();
                throw new InvalidOperationException($"no mailbox {email}");
            });
    }
}
