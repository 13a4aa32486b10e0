using System.Text.Json;
using System.Text.Json.Serialization;

namespace Opossum.Tests.Personal;

[EventType("customer-registered")]
internal sealed record CustomerRegistered(
    [property: Tag("customer")] string CustomerId,
    [property: Personal("customer")] string? Name,
    [property: Personal("customer", Placeholder = "(forgotten)")] string Email,
    [property: Personal("customer", Placeholder = 1900)] int BirthYear = 1970)
{
    public Address? Address { get; init; }

    public List<Contact>? Contacts { get; init; }

    [Tag("email", IsPseudonym = true)]
    [JsonIgnore]
    public string EmailTag => Email;
}

internal sealed record Address([property: Personal("customer")] string? Street, string City);

/// <summary>Somebody else, whom a member beside the data names.</summary>
internal sealed record Contact(string PersonId, [property: Personal("person", SubjectProperty = nameof(Contact.PersonId))] string? Phone);

[JsonSerializable(typeof(CustomerRegistered))]
[JsonSourceGenerationOptions(JsonSerializerDefaults.Web)]
internal sealed partial class CustomersJson : JsonSerializerContext;

/// <summary>Stores with personal data.</summary>
internal static class Customers
{
    public static readonly MasterKey Key = MasterKey.Create();

    public static readonly Tag Ann = new("customer", "c1");

    public static CustomerRegistered Registered(string id = "c1") => new(id, "Ann Archer", "ann@example.org", 19840229)
    {
        Address = new Address("1 Nowhere Lane", "Springfield"),
        Contacts = [new Contact("p1", "555-0101"), new Contact("p2", "555-0102")],
    };

    /// <summary>Texts of the event that may be nowhere in the folder. Four digits would be found in an id by chance.</summary>
    public static readonly string[] Secrets = ["Ann Archer", "ann@example.org", "19840229", "1 Nowhere Lane", "555-0101", "555-0102"];

    public static FileSystemEventStore OpenCustomers(this StorePlace place, MasterKey? key, Action<OpossumOptions>? configure = null) =>
        place.Open(options =>
        {
            options.EventTypes.Add<CustomerRegistered>();
            options.PersonalData.MasterKey = key;
            configure?.Invoke(options);
        });
}
