using System.Text;
using Opossum.FileSystem;
using Opossum.Personal;
using Opossum.Storage.Folders;
using Opossum.Testing.Simulated;
using Opossum.Tests.Diagnostics;
using static Opossum.Tests.Personal.Customers;

namespace Opossum.Tests.Personal;

/// <summary>Nothing that a run lets out has a personal value, or a key.</summary>
[Collection(nameof(TelemetryCollection))]
public sealed class SecrecyTests : IDisposable
{
    private readonly StorePlace place = StorePlace.On(VolumeKind.Ext4, TimeProvider.System);
    private readonly Overheard overheard = new();

    private string AnnFile => FilePath.Join(place.Layout.Keys, "customer%3ac1.json");

    public void Dispose()
    {
        place.Dispose();
        overheard.Dispose();
    }

    [Fact]
    public async Task Logs_exceptions_activities_metrics_and_texts_of_objects_have_no_personal_value_and_no_key()
    {
        await using (var store = Open<CustomerRegistered>())
        {
            await UseAsync(store);
            await MisuseAsync(store);
        }
        var keys = Keys();
        await DamageAsync();
        await using (var store = Open<CustomerRegistered>())
        {
            overheard.Logs.Lines.Enqueue((0, $"{await store.GetStatusAsync()} {(await store.ReadAllAsync())[0]} {new NewEvent(Registered("c9"))}"));
            await store.ForgetAsync(Ann, "asked for it");
            await overheard.FailAsync<PersonalDataException>(() => store.AppendAsync([new NewEvent(Registered())]));
        }

        Assert.InRange(overheard.Errors.Count, 10, int.MaxValue);
        foreach (var text in (string[])[.. overheard.Errors, .. overheard.Telemetry])
        {
            Assert.All(Secrets.Append("c1@"), secret => Assert.DoesNotContain(secret, text, StringComparison.OrdinalIgnoreCase));
            Assert.All(keys, key => Assert.DoesNotContain(key, text, StringComparison.OrdinalIgnoreCase));
        }
        // An exception names the person, or its caller could not tell who is meant.
        Assert.Contains(overheard.Errors, static text => text.Contains("customer:c1", StringComparison.Ordinal));
        Assert.All(overheard.Telemetry.Where(static text => !text.StartsWith("0 ", StringComparison.Ordinal)),
            static text => Assert.DoesNotContain("customer:c1", text, StringComparison.Ordinal));
    }

    private static async Task UseAsync(FileSystemEventStore store)
    {
        var runner = store.StartProjections([new Cards()], new ProjectionOptions { MaxRetryAttempts = 0 });
        await store.AppendAsync([new NewEvent(Registered()), new NewEvent(Registered("c2"))]);
        await runner.WaitForAsync(2, TestContext.Current.CancellationToken);
        Assert.Equal([1, 2], await store.PositionsAsync(Query.FromTags(Tag.Pseudonym("email", "ann@example.org"))));
        Assert.Equivalent(Registered(), (await store.ReadAllAsync())[0].Data);
        await foreach (var e in store.SubscribeAsync(Query.All, cancellationToken: TestContext.Current.CancellationToken))
        {
            if (e.Position == 2)
                break;
        }
    }

    private async Task MisuseAsync(FileSystemEventStore store)
    {
        var taken = new AppendCondition(Query.FromTags(Tag.Pseudonym("email", "ann@example.org")));
        await overheard.FailAsync<AppendConditionFailedException>(() => store.AppendAsync([new NewEvent(Registered("c3"))], taken));
        await overheard.FailAsync<ArgumentException>(() => store.AppendAsync([NewEvent.FromJson("customer-registered", """{"name":"Ann Archer" """)]));
        await overheard.FailAsync<ArgumentException>(() => store.AppendAsync([NewEvent.FromJson("customer-registered", """{"name":"Ann Archer"}""")]));
        await overheard.FailAsync<ArgumentException>(() => store.AppendAsync([NewEvent.FromJson("customer-registered", """{"name":"Ann Archer"}""", Ann,
            new Tag("customer", "c2"))]));
        await overheard.FailAsync<ArgumentException>(() => store.ForgetAsync(default, "Ann Archer"));
        await using var changed = Open<ChangedCustomer>();
        await overheard.FailAsync<EventDataException>(async () => _ = (await changed.ReadAllAsync())[0].Data);
        await using var keyless = place.OpenCustomers(key: null, options => options.LoggerFactory = overheard.Logs);
        await overheard.FailAsync<PersonalDataException>(() => keyless.AppendAsync([new NewEvent(Registered())]));
        await overheard.FailAsync<PersonalDataException>(() => keyless.PositionsAsync(Query.FromTags(Tag.Pseudonym("email", "ann@example.org"))));
    }

    private async Task DamageAsync()
    {
        var storeKey = FilePath.Join(place.Layout.Keys, KeyFolder.StoreKeyName);
        var (good, goodStoreKey) = (place.Bytes(AnnFile), place.Bytes(storeKey));
        var other = FilePath.Join(place.Layout.Keys, "customer%3ac2.json");
        foreach (var bad in (byte[][])[place.Bytes(other), "{}"u8.ToArray(), [.. good[..^20], .. "Ann Archer\"}"u8]])
        {
            place.Put(AnnFile, bad);
            await using var store = Open<CustomerRegistered>();
            await overheard.FailAsync<PersonalDataException>(async () => _ = (await store.ReadAllAsync())[0].Data);
        }
        place.Put(AnnFile, good);
        place.Put(storeKey, [.. goodStoreKey[..^20], .. "Ann Archer\"}"u8]);
        await overheard.FailAsync<PersonalDataException>(() => Task.FromResult(Open<CustomerRegistered>()));
        place.Put(storeKey, goodStoreKey);
        place.Put("/bad.key", Encoding.UTF8.GetBytes(Key.ToText().Replace("key-1", "key-2", StringComparison.Ordinal)));
        await overheard.FailAsync<PersonalDataException>(() => Task.FromResult(place.Open(static options => options.PersonalData.MasterKeyFile = "/bad.key")));
        await overheard.FailAsync<PersonalDataException>(() => Task.FromResult(place.OpenCustomers(MasterKey.Create())));
    }

    // The master key, the store's, and a person's, of which every beginning of 12 bytes would be too much.
    private List<string> Keys()
    {
        using var files = place.Attach();
        var folder = new KeyFolder(new StoreFolder(files, place.Layout), place.Layout.Keys, TimeSpan.FromSeconds(1));
        var own = StoreKeyFile.Read(folder, Key)!;
        var anns = new StoreKey(own).Unwrap(Ann, folder.Read(Ann)!.Key!)!;
        var master = Convert.FromBase64String(Key.ToText().Trim().Split(':')[1]);
        return [.. new[] { master, own, own[32..], anns, anns[32..] }.SelectMany(static key => (string[])
            [Convert.ToBase64String(key.AsSpan(0, 12)), Convert.ToHexString(key.AsSpan(0, 12)), string.Join(',', key[..12])])];
    }

    private FileSystemEventStore Open<TCustomer>() => place.Open(options =>
    {
        options.EventTypes.Add<TCustomer>();
        options.PersonalData.MasterKey = Key;
        options.LoggerFactory = overheard.Logs;
    });

    /// <summary>The class of a later version of the app, which forgot to raise its version.</summary>
    [EventType("customer-registered")]
    private sealed record ChangedCustomer([property: Tag("customer")] string CustomerId, [property: Personal("customer")] int? Name,
        [property: Personal("customer")] DateOnly? Email);

    private sealed record Card([property: Personal("customer")] string? Name);

    private sealed class Cards : Projection<Card>
    {
        public Cards()
            : base("cards") => On<CustomerRegistered>(static e => e.CustomerId, static (_, e) => new Card(e.Name));
    }
}
