namespace Opossum.TestingTests.Examples;

// The events of the examples at https://dcb.events/examples.

[EventType("course-defined")]
public record CourseDefined([property: Tag("course")] string Course, int Seats);

[EventType("course-capacity-changed")]
public record CapacityChanged([property: Tag("course")] string Course, int Seats);

[EventType("student-subscribed")]
public record StudentSubscribed([property: Tag("course")] string Course, [property: Tag("student")] string Student);

[EventType("account-registered")]
public record AccountRegistered([property: Tag("username")] string Username);

[EventType("account-closed")]
public record AccountClosed([property: Tag("username")] string Username);

[EventType("username-changed")]
public record UsernameChanged([property: Tag("username")] string OldUsername, [property: Tag("username")] string NewUsername);

[EventType("invoice-created")]
public record InvoiceCreated([property: Tag("invoice")] int Number, [property: Tag("customer")] string Customer);

[EventType("invoice-numbering-restarted")]
public record NumberingRestarted([property: Tag("invoice")] int Number);

[EventType("sign-up-initiated")]
public record SignUpInitiated([property: Tag("email")] string Email, [property: Tag("token")] string Token);

[EventType("sign-up-confirmed")]
public record SignUpConfirmed([property: Tag("email")] string Email, [property: Tag("token")] string Token);

[EventType("sign-up-revoked")]
public record SignUpRevoked([property: Tag("email")] string Email, [property: Tag("token")] string Token);

[EventType("product-defined")]
public record ProductDefined([property: Tag("product")] string Product, decimal Price);

[EventType("product-price-changed")]
public record PriceChanged([property: Tag("product")] string Product, decimal Price);

[EventType("product-withdrawn")]
public record ProductWithdrawn([property: Tag("product")] string Product);

[EventType("products-ordered")]
public record ProductsOrdered([property: Tag("product")] string[] Products, decimal Total);

[EventType("payment-received")]
public record PaymentReceived([property: Tag("payment")] string Payment, [property: Tag("idempotency")] string Token);

[EventType("payment-refunded")]
public record PaymentRefunded([property: Tag("payment")] string Payment, [property: Tag("idempotency")] string Token);

internal static class EventTypes
{
    /// <summary>Those of the examples; other tests have types of the same names.</summary>
    public static EventTypeRegistry All { get; } = typeof(CourseDefined).Assembly.GetTypes()
        .Where(static type => type.Namespace == typeof(CourseDefined).Namespace && type.IsDefined(typeof(EventTypeAttribute), inherit: false))
        .Aggregate(new EventTypeRegistry(), static (types, type) => types.Add(type));
}
