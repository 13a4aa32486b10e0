using Opossum;

namespace CarDealership;

// What happens to cars. The rows of the list are derived from it.

[EventType("car-taken-in")]
public sealed record CarTakenIn([property: Tag("car")] string CarId, string Model, int Year, decimal Price);

[EventType("price-changed")]
public sealed record PriceChanged([property: Tag("car")] string CarId, decimal Price);

[EventType("car-sold")]
public sealed record CarSold([property: Tag("car")] string CarId, string Buyer);
