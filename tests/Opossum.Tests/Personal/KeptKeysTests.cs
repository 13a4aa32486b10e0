using Opossum.Testing.Simulated;

namespace Opossum.Tests.Personal;

/// <summary>A process keeps a number of keys of persons in memory, and drops all when there are more.</summary>
public sealed class KeptKeysTests
{
    [Fact]
    public async Task Keys_are_kept_up_to_a_number_and_then_read_again()
    {
        var disk = new SimulatedDisk(VolumeKind.Ext4, new SimulatedClock());
        using var place = StorePlace.On(disk);
        await using (var store = place.OpenCustomers(Customers.Key))
        {
            for (var number = 1; number <= 5; number++)
                await store.AppendAsync([new NewEvent(new CustomerRegistered($"c{number}", "Ann", "ann@example.org"))]);
        }
        var client = disk.Attach();
        var read = new List<string>();
        place.KeysKeptMax = 2;
        await using var reader = place.Open(client, static options =>
        {
            options.EventTypes.Add<CustomerRegistered>();
            options.PersonalData.MasterKey = Customers.Key;
        });
        client.BeforeOperation = operation =>
        {
            if (operation.Kind == OperationKind.Open && Path.GetFileName(operation.Path).StartsWith("customer", StringComparison.Ordinal))
                read.Add(Path.GetFileNameWithoutExtension(operation.Path)[^1..]);
        };

        // The third drops the first two, and the fifth those before it.
        foreach (var number in (int[])[1, 2, 1, 2, 3, 3, 4, 3, 4, 5, 5, 4])
        {
            var registered = await reader.ReadAsync(Query.For<CustomerRegistered>(new Tag("customer", $"c{number}"))).FirstAsync();
            Assert.Equal("Ann", Assert.IsType<CustomerRegistered>(registered.Data).Name);
        }

        // A file may be opened more than once when a key is read.
        Assert.Equal(["1", "2", "3", "4", "5", "4"], read.Where((each, at) => at == 0 || read[at - 1] != each));
        place.AssertClean();
    }
}
