using Opossum;

namespace AssemblyLine;

/// <summary>
/// A machine: it reads its state from the events and does what comes next. It keeps no state of its own, so another process can replace a
/// killed one and continue where the events end.
/// </summary>
internal sealed class Machine(string name, IEventStore store, int operators, Pace pace, Random random)
{
    private const double FaultShare = 1 / 60.0;
    private const double BreakShare = 1 / 40.0;

    private static readonly string[] faultCodes = ["E-STOP", "JAM", "NO-AIR", "OVERHEAT"];

    private readonly ShopFloor floor = new(store);
    private readonly OpenOrders openOrders = new(store);

    public async Task RunAsync(CancellationToken stop)
    {
        try
        {
            while (true)
            {
                await pace.WaitAsync(stop);
                await StepAsync(stop);
            }
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            // The shift is over.
        }
        await floor.SignOutAsync(name);
    }

    private async Task StepAsync(CancellationToken stop)
    {
        try
        {
            await DoWhatComesNextAsync(stop);
        }
        catch (AppendConditionFailedException)
        {
            // Others came first at every attempt. The next step reads again.
        }
    }

    private async Task DoWhatComesNextAsync(CancellationToken stop)
    {
        var (now, _) = await store.BuildDecisionModelAsync(Facts.Machine(name), stop);
        if (now.Fault is not null)
            await RepairAsync(stop);
        else if (now.Operator is null)
            await FindOperatorAsync();
        else if (now.Order is not { } order)
            await ClaimOrderAsync(stop);
        else if (now.Cycle is null)
            await StartCycleAsync(order);
        else
            await EndCycleAsync(order);
    }

    private async Task RepairAsync(CancellationToken stop)
    {
        await Task.Delay(TimeSpan.FromSeconds(0.3 + random.NextDouble()), stop);
        await floor.ClearFaultAsync(name);
    }

    private async Task FindOperatorAsync()
    {
        var asked = Enumerable.Range(0, operators).Select(Operators.NameOf).ToArray();
        random.Shuffle(asked);
        foreach (var operatorName in asked)
        {
            if (await floor.SignInAsync(operatorName, name) is not null)
                return;
        }
    }

    private async Task ClaimOrderAsync(CancellationToken stop)
    {
        var order = await openOrders.FirstAsync(stop);
        await floor.ClaimOrderAsync(order, name);
    }

    private async Task StartCycleAsync(int order)
    {
        if (random.NextDouble() < BreakShare)
            await floor.SignOutAsync(name);
        else
            await floor.StartCycleAsync(order, name);
    }

    private async Task EndCycleAsync(int order)
    {
        if (random.NextDouble() < FaultShare)
            await floor.RaiseFaultAsync(name, faultCodes[random.Next(faultCodes.Length)]);
        else
            await floor.CompleteCycleAsync(order, name);
    }
}
