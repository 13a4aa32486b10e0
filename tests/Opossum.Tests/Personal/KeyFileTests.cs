using System.Security.Cryptography;
using System.Text;
using Opossum.FileSystem;
using Opossum.Maintenance;
using Opossum.Testing.Simulated;
using static Opossum.Tests.Personal.Customers;

namespace Opossum.Tests.Personal;

/// <summary>The files of keys: damaged, swapped, lost, on a full disk, under another master key.</summary>
public sealed class KeyFileTests : IDisposable
{
    private readonly StorePlace place = StorePlace.On(VolumeKind.Ext4);

    private string AnnFile => FilePath.Join(place.Layout.Keys, "customer%3ac1.json");

    private string StoreKeyFile => FilePath.Join(place.Layout.Keys, "store-key.json");

    public void Dispose() => place.Dispose();

    [Fact]
    public async Task Another_master_key_is_refused_at_the_opening()
    {
        await AppendAsync();
        var other = MasterKey.Create();

        var refused = Assert.Throws<PersonalDataException>(() => place.OpenCustomers(other));

        Assert.Contains(Key.Id, refused.Message, StringComparison.Ordinal);
        Assert.Contains(other.Id, refused.Message, StringComparison.Ordinal);
        Assert.Equal(StoreKeyFile, refused.Path);
        Assert.Equal(2, await place.OpenCustomers(Key).GetHeadAsync());
    }

    [Fact]
    public async Task The_master_key_is_replaced_without_touching_an_event_or_a_key()
    {
        await AppendAsync();
        var before = place.Snapshot();
        var next = MasterKey.Create();

        Assert.True(Rotate(Key, next));

        Assert.Equal([StoreKeyFile], place.Snapshot().Where(each => !Same(before.GetValueOrDefault(each.Key), each.Value)
            && !each.Key.EndsWith(".lock", StringComparison.Ordinal)).Select(each => each.Key));
        Assert.False(Rotate(Key, next));
        Assert.Throws<PersonalDataException>(() => place.OpenCustomers(Key));
        Assert.Equivalent(Registered(), (await place.OpenCustomers(next).ReadAllAsync())[0].Data);
        Assert.Throws<PersonalDataException>(() => Rotate(Key, MasterKey.Create()));
    }

    [Fact]
    public async Task The_master_key_is_not_replaced_in_a_folder_without_the_key_that_the_store_needs()
    {
        await AppendAsync();
        using var elsewhere = StorePlace.On(VolumeKind.Ext4);
        await AppendAsync(elsewhere);
        using (var files = place.Attach())
            files.CreateFolder("/other");
        var key = elsewhere.Bytes(FilePath.Join(elsewhere.Layout.Keys, "store-key.json"));
        place.Put("/other/store-key.json", key);

        var other = Assert.Throws<PersonalDataException>(() => Rotate(Key, MasterKey.Create(), "/other"));
        var missing = Assert.Throws<PersonalDataException>(() => Rotate(Key, MasterKey.Create(), "/none"));

        Assert.Contains("keys of another store", other.Message, StringComparison.Ordinal);
        Assert.Contains("KeysFolder", missing.Message, StringComparison.Ordinal);
        Assert.Equal(key, place.Bytes("/other/store-key.json"));
        Assert.False(place.Exists("/none"));
    }

    [Theory]
    [InlineData("swapped")]
    [InlineData("of another store")]
    [InlineData("one bit")]
    [InlineData("text")]
    [InlineData("too long")]
    [InlineData("no members")]
    public async Task A_bad_key_file_is_named_and_is_never_replaced(string kind)
    {
        await AppendAsync();
        var good = place.Bytes(AnnFile);
        var text = Encoding.UTF8.GetString(good);
        var key = text.IndexOf("\"key\": \"", StringComparison.Ordinal) + 12;
        var other = await KeyOfAnotherStoreAsync();
        byte[] bad = kind switch
        {
            "swapped" => place.Bytes(FilePath.Join(place.Layout.Keys, "customer%3ac2.json")),
            "of another store" => other,
            "one bit" => Encoding.UTF8.GetBytes(text[..key] + (text[key] == 'A' ? 'B' : 'A') + text[(key + 1)..]),
            "text" => "this is no key}"u8.ToArray(),
            "too long" => Encoding.UTF8.GetBytes(new string(' ', 140_000) + text),
            _ => "{}"u8.ToArray(),
        };
        place.Put(AnnFile, bad);
        await using var store = place.OpenCustomers(Key);

        var e = (await store.ReadAllAsync())[0];
        var wrong = Assert.Throws<PersonalDataException>(() => e.Data);
        await Assert.ThrowsAsync<PersonalDataException>(() => store.AppendAsync([new NewEvent(Registered())]));
        await store.AppendAsync([new NewEvent(Registered("c2"))]);

        Assert.Equal(AnnFile, wrong.Path);
        Assert.Contains("Restore", wrong.Message, StringComparison.Ordinal);
        Assert.Equal(bad, place.Bytes(AnnFile));
        place.Put(AnnFile, good);
        Assert.Equivalent(Registered(), (await place.OpenCustomers(Key).ReadAllAsync())[0].Data);
    }

    [Theory]
    [InlineData("missing")]
    [InlineData("empty")]
    [InlineData("cut off")]
    [InlineData("one bit")]
    [InlineData("text")]
    public async Task The_lost_key_of_the_store_is_named_and_never_made_again_over_the_keys_of_persons(string kind)
    {
        await AppendAsync();
        var good = place.Bytes(StoreKeyFile);
        var text = Encoding.UTF8.GetString(good);
        var key = text.IndexOf("\"key\": \"", StringComparison.Ordinal) + 12;
        byte[]? bad = kind switch
        {
            "missing" => null,
            "empty" => [],
            "cut off" => good[..40],
            "one bit" => Encoding.UTF8.GetBytes(text[..key] + (text[key] == 'A' ? 'B' : 'A') + text[(key + 1)..]),
            _ => "{}"u8.ToArray(),
        };
        place.Delete(StoreKeyFile);
        if (bad is not null)
            place.Put(StoreKeyFile, bad);

        var lost = await Assert.ThrowsAsync<PersonalDataException>(async () =>
        {
            await using var store = place.OpenCustomers(Key);
            await store.AppendAsync([new NewEvent(Registered("c3"))]);
        });

        Assert.Equal(StoreKeyFile, lost.Path);
        Assert.Contains("a backup of the keys", lost.Message, StringComparison.Ordinal);
        Assert.Equal(bad, place.Exists(StoreKeyFile) ? place.Bytes(StoreKeyFile) : null);
        place.Put(StoreKeyFile, good);
        Assert.Equivalent(Registered(), (await place.OpenCustomers(Key).ReadAllAsync())[0].Data);
    }

    [Fact]
    public async Task A_store_restored_without_its_keys_reads_as_if_they_were_forgotten_and_says_why()
    {
        await AppendAsync();
        foreach (var path in place.Snapshot(place.Layout.Keys).Where(each => each.Value is not null).Select(each => each.Key))
            place.Delete(path);

        var e = (await place.OpenCustomers(Key).ReadAllAsync())[0];

        Assert.All(e.UnreadableMembers, each => Assert.Equal(UnreadableReason.NoKey, each.Reason));
        Assert.Null(((CustomerRegistered)e.Data!).Name);
    }

    [Theory]
    [InlineData("/store/master.key", "in the store's folder")]
    [InlineData("/nowhere.key", "is missing. Restore it, or, for a store without personal data so far, create one (opossum master-key new")]
    [InlineData("/odd.key", "not the file of a master key")]
    public void A_master_key_file_that_cannot_be_used_is_named(string path, string why)
    {
        place.Put("/odd.key", "opossum-master-key-1:c2hvcnQ="u8);

        var refused = Assert.Throws<PersonalDataException>(() => place.Open(options => options.PersonalData.MasterKeyFile = path));

        Assert.Contains(why, refused.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("c2hvcnQ", refused.ToString(), StringComparison.Ordinal);
        Assert.DoesNotContain("store", place.Names("/"));
    }

    [Fact]
    public async Task A_master_key_file_and_another_folder_of_keys_are_used()
    {
        place.Put("/keys/master.key", Encoding.UTF8.GetBytes(Key.ToText()));
        void Configure(OpossumOptions options)
        {
            options.PersonalData.MasterKeyFile = "/keys/master.key";
            options.PersonalData.KeysFolder = "/keys/shop";
        }
        var store = place.OpenCustomers(key: null, Configure);
        await store.AppendAsync([new NewEvent(Registered())]);
        await store.ForgetAsync(Ann, "asked for it");

        Assert.True(place.Exists("/keys/shop/customer%3ac1.json"));
        Assert.All(place.Snapshot(place.Layout.Keys).Values.OfType<byte[]>(),
            static mark => Assert.DoesNotContain("\"key\"", Encoding.UTF8.GetString(mark), StringComparison.Ordinal));
        Assert.Equal(4, (await place.OpenCustomers(key: null, Configure).ReadAllAsync())[0].UnreadableMembers.Count);
    }

    [Fact]
    public async Task A_key_is_on_the_disk_before_what_it_encrypts()
    {
        var disk = new SimulatedDisk(VolumeKind.Ext4, new SimulatedClock());
        using var cut = StorePlace.On(disk);
        await cut.OpenCustomers(Key).AppendAsync([new NewEvent(Registered())]);

        using var after = StorePlace.On(disk.AfterPowerCut(new PowerCut(PowerCutMode.LosesAll)));

        Assert.Equivalent(Registered(), (await after.OpenCustomers(Key).ReadAllAsync())[0].Data);
    }

    [Fact]
    public async Task A_key_that_a_dead_process_left_unfinished_is_made_again()
    {
        await AppendAsync();
        foreach (var (number, rest) in new[] { [], new byte[100], place.Bytes(AnnFile)[..40] }.Index())
        {
            place.Put(FilePath.Join(place.Layout.Keys, $"customer%3ad{number}.json"), rest);
            await using var store = place.OpenCustomers(Key);
            await store.AppendAsync([new NewEvent(Registered($"d{number}"))]);
            Assert.Equivalent(Registered($"d{number}"), (await store.ReadAllAsync())[^1].Data);
        }
    }

    [Fact]
    public async Task The_longest_subject_has_a_key_and_is_forgotten_for_the_longest_reason()
    {
        // Each character takes six bytes in a key file.
        var subject = new Tag(new string('\u0001', Tag.MaxKeyLength), new string('\u0002', Tag.MaxValueLength));
        await using var store = place.Open(options =>
        {
            options.EventTypes.AddPersonal("t", "name", subject.Key);
            options.PersonalData.MasterKey = Key;
        });
        await store.AppendAsync([NewEvent.FromJson("t", """{"name":"Ann"}""", subject)]);
        await using var other = place.Open(options => options.PersonalData.MasterKey = Key);
        Assert.Equal("""{"name":"Ann"}""", Encoding.UTF8.GetString((await other.ReadAllAsync())[0].Json.Span));

        await store.ForgetAsync(subject, new string('\u0003', 1_000));

        var lost = Assert.Single((await store.ReadAllAsync())[0].UnreadableMembers);
        Assert.Equal((subject, UnreadableReason.Forgotten), (lost.Subject, lost.Reason));
        Assert.True((await place.Open(options => options.PersonalData.MasterKey = Key).ForgetAsync(subject, "again")).WasForgotten);
        place.AssertClean();
    }

    [Fact]
    public async Task A_full_disk_refuses_the_append_that_needs_a_new_key_and_no_other()
    {
        await AppendAsync();
        var client = place.Disk!.Attach();
        var store = place.Open(client, options =>
        {
            options.EventTypes.Add<CustomerRegistered>();
            options.PersonalData.MasterKey = Key;
        });
        client.BeforeOperation = operation =>
        {
            if (operation.Kind == OperationKind.Write && operation.Path.StartsWith(place.Layout.Keys, StringComparison.Ordinal))
                throw new FileSystemException(FileError.DiskFull, "write to", operation.Path, "there is no space left");
        };

        var full = await Assert.ThrowsAsync<PersonalDataException>(() => store.AppendAsync([new NewEvent(Registered("c3"))]));
        await store.AppendAsync([new NewEvent(Registered())]);

        Assert.True(full.IsTransient);
        client.BeforeOperation = null;
        await store.AppendAsync([new NewEvent(Registered("c3"))]);
        Assert.Equivalent(Registered("c3"), (await store.ReadAllAsync())[^1].Data);
    }

    [Fact]
    public void Nothing_shows_a_key()
    {
        var secret = Key.ToText().Trim().Split(':')[1];

        Assert.DoesNotContain(secret, $"{Key} {Key.Id} {new PersonalDataOptions { MasterKey = Key }}", StringComparison.Ordinal);
        Assert.DoesNotContain(secret[..10], Assert.Throws<FormatException>(() => MasterKey.FromText(Key.ToText() + "x")).ToString(), StringComparison.Ordinal);
        Assert.Throws<CryptographicException>(() => MasterKey.Create().Unwrap(Key.Wrap(new byte[64])));
    }

    private static bool Same(byte[]? one, byte[]? other) => one is null ? other is null : other is not null && one.AsSpan().SequenceEqual(other);

    private bool Rotate(MasterKey current, MasterKey next, string? keysFolder = null)
    {
        using var files = place.Attach();
        return PersonalKeys.Rotate(files, place.Layout, current, next, keysFolder);
    }

    private async Task AppendAsync(StorePlace? other = null)
    {
        await using var store = (other ?? place).OpenCustomers(Key);
        await store.AppendAsync([new NewEvent(Registered()), new NewEvent(Registered("c2"))]);
    }

    private static async Task<byte[]> KeyOfAnotherStoreAsync()
    {
        using var other = StorePlace.On(VolumeKind.Ext4);
        await using (var store = other.OpenCustomers(Key))
            await store.AppendAsync([new NewEvent(Registered())]);
        return other.Bytes(FilePath.Join(other.Layout.Keys, "customer%3ac1.json"));
    }
}
