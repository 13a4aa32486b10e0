namespace Opossum.DocTests;

public sealed class ForgettingSnippets : DocumentCode
{
    [Fact]
    public async Task A_person_is_forgotten()
    {
        await CreateKeyAsync();
        if (Directory.Exists("dealership"))
            Directory.Delete("dealership", recursive: true);
        var printed = new PrintedLines();
        await OpenAsync(async store =>
        {
            await store.AppendAsync([new NewEvent(new CustomerRegistered("c1", "Ann Archer", "ann@example.org", "Springfield"))]);
            await ReadAsync(store, printed);
            await ForgetAsync(store, printed);
            await ReadAsync(store, printed);
        });

        Assert.Equal(
            ["c1: Ann Archer, ann@example.org", "forgotten, told by the event at position 2", "c1: ?, (forgotten)", "  name: Forgotten", "  email: Forgotten"],
            printed.TakeAll());
    }

    [Fact]
    public async Task A_pseudonym_is_found_by_its_value()
    {
        await CreateKeyAsync();
        if (Directory.Exists("dealership"))
            Directory.Delete("dealership", recursive: true);
        await OpenAsync(async store =>
        {
            await store.AppendAsync([NewEvent.FromJson("address-taken", "{}", Tag.Pseudonym("email", "ann@example.org"))]);

            Assert.True((await store.BuildDecisionModelAsync(IsTaken())).State);
        });
    }

    [EventType("customer-registered")]
    public record CustomerRegistered(
        [property: Tag("customer")] string CustomerId,
        [property: Personal("customer")] string? Name,
        [property: Personal("customer", Placeholder = "(forgotten)")] string Email,
        string City);

    private static async Task CreateKeyAsync()
    {
        await File.WriteAllTextAsync("dealership.masterkey", MasterKey.Create().ToText());
    }

    private static async Task OpenAsync(Func<FileSystemEventStore, Task> use)
    {
        await using var store = await FileSystemEventStore.OpenAsync(new OpossumOptions
        {
            Path = "dealership",
            EventTypes = new EventTypeRegistry().Add<CustomerRegistered>(),
            PersonalData = { MasterKeyFile = "dealership.masterkey" },
        });
        await use(store);
    }

    private static async Task ForgetAsync(FileSystemEventStore store, PrintedLines Console)
    {
        var result = await store.ForgetAsync(new Tag("customer", "c1"), "request of 2026-11-20");
        Console.WriteLine($"forgotten, told by the event at position {result.Position}");
        foreach (var plain in result.PlainEvents)
            Console.WriteLine($"event {plain.Position} has {string.Join(", ", plain.Members)} in plain: redact it");
    }

    private static async Task ReadAsync(FileSystemEventStore store, PrintedLines Console)
    {
        await foreach (var e in store.ReadAsync(Query.For<CustomerRegistered>()))
        {
            var customer = (CustomerRegistered)e.Data!;
            Console.WriteLine($"{customer.CustomerId}: {customer.Name ?? "?"}, {customer.Email}");
            foreach (var lost in e.UnreadableMembers)
                Console.WriteLine($"  {lost.Path}: {lost.Reason}");
        }
    }

    private static DecisionProjection<bool> IsTaken()
    {
        var address = Tag.Pseudonym("email", "ann@example.org");
        var isTaken = DecisionProjection.Create(false, address).On("address-taken", (_, _) => true);
        return isTaken;
    }
}
