using System.Globalization;

namespace Opossum.DependencyInjection;

/// <summary>A store that was added to the services.</summary>
/// <param name="Name">The name of its options; empty for the store without a key.</param>
/// <param name="Key">The key of its services; null for the store without a key.</param>
internal sealed record StoreRegistration(string Name, object? Key)
{
    public static StoreRegistration Create(object? serviceKey)
    {
        if (serviceKey is null)
            return new StoreRegistration("", null);
        var name = Convert.ToString(serviceKey, CultureInfo.InvariantCulture);
        if (string.IsNullOrEmpty(name))
        {
            throw new ArgumentException("The key's text is empty, and the empty name is that of the store without a key. Choose another key, or "
                + "use AddOpossum.", nameof(serviceKey));
        }

        return new StoreRegistration(name, serviceKey);
    }

    /// <summary>The call that adds such a store, for messages.</summary>
    public string HowToAdd => Key is null ? "AddOpossum(...)" : "AddKeyedOpossum(...) with the same key";

    public override string ToString() => Key is null ? "the store without a key" : $"the store with the key {NameRules.Quote(Name)}";
}
