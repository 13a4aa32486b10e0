using Opossum;

namespace AssemblyLine;

public enum OrderStatus
{
    Waiting,
    InWork,
    Done,
}

/// <summary>The progress of an order.</summary>
public sealed record OrderProgress(int Order, string Article, int Quantity)
{
    public string? Machine { get; init; }

    public int Parts { get; init; }

    public OrderStatus Status { get; init; }

    public static OrderProgress Apply(OrderProgress? order, IOrderEvent e) => e switch
    {
        OrderReleased released => new OrderProgress(released.Order, released.Article, released.Quantity),
        OrderClaimed claimed => order! with { Machine = claimed.Machine, Status = OrderStatus.InWork },
        UnitPassed => order! with { Parts = order.Parts + 1 },
        OrderCompleted => order! with { Status = OrderStatus.Done },
        _ => order!,
    };
}

/// <summary>The read model of the orders: one state each, found by its status.</summary>
public sealed class OrderBoard : Projection<OrderProgress>
{
    public OrderBoard()
        : base("order-board")
    {
        Follow<OrderReleased>();
        Follow<OrderClaimed>();
        Follow<UnitPassed>();
        Follow<OrderCompleted>();
        TagBy(order => [Tagged(order.Status)]);
    }

    public static Tag Tagged(OrderStatus status) => new("status", $"{status}");

    private void Follow<TEvent>()
        where TEvent : IOrderEvent => On<TEvent>(e => $"{e.Order}", (order, e) => OrderProgress.Apply(order, e));
}
