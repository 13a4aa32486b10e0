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
    private const double HandoverShare = 1 / 60.0;
    private const double ScrapShare = 1 / 30.0;

    private static readonly string[] faultCodes = ["E-STOP", "JAM", "NO-AIR", "OVERHEAT"];
    private static readonly string[] defects = ["burr", "crack", "too long"];

    private readonly ShopFloor floor = new(store);
    private readonly OpenOrders openOrders = new(store);

    public async Task RunAsync(CancellationToken stop)
    {
        try
        {
            await floor.StartMachineAsync(name);
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
        var ((now, setup), _) = await store.BuildDecisionModelAsync(DecisionProjection.Combine(Facts.Machine(name), Facts.Setup(name)), stop);
        if (now.Fault is not null)
            await RepairAsync(stop);
        else if (setup.IsPaused)
            await ResumeAsync(stop);
        else if (now.Operator is null)
            await FindOperatorAsync();
        else if (now.Order is not { } order)
            await ClaimOrderAsync(stop);
        else if (setup.Loaded != order)
            await floor.LoadMaterialAsync(order, name, $"lot {random.Next(100, 1_000)}");
        else if (now.Cycle is not null)
            await EndCycleAsync(order);
        else if (setup.IsOff)
            await CorrectAsync();
        else
            await StartCycleAsync(order);
    }

    private async Task ResumeAsync(CancellationToken stop)
    {
        await Task.Delay(TimeSpan.FromSeconds(0.2 + random.NextDouble()), stop);
        await floor.ResumeAsync(name);
    }

    private async Task CorrectAsync()
    {
        if (random.Next(2) == 0)
            await floor.ChangeToolAsync(name, $"tool {random.Next(1, 20)}");
        else
            await floor.AdjustAsync(name, "speed", random.Next(80, 121));
    }

    private async Task RepairAsync(CancellationToken stop)
    {
        await Task.Delay(TimeSpan.FromSeconds(0.3 + random.NextDouble()), stop);
        await floor.ClearFaultAsync(name);
    }

    private Task FindOperatorAsync() => AskOperatorsAsync(operatorName => floor.SignInAsync(operatorName, name));

    // The first one that is free.
    private async Task AskOperatorsAsync(Func<string, Task<AppendResult?>> askAsync)
    {
        var asked = Enumerable.Range(0, operators).Select(Operators.NameOf).ToArray();
        random.Shuffle(asked);
        foreach (var operatorName in asked)
        {
            if (await askAsync(operatorName) is not null)
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
        var share = random.NextDouble();
        if (share < BreakShare)
            await floor.PauseAsync(name);
        else if (share < BreakShare + HandoverShare)
            await AskOperatorsAsync(operatorName => floor.HandOverAsync(name, operatorName));
        else
            await floor.StartCycleAsync(order, name);
    }

    private async Task EndCycleAsync(int order)
    {
        if (random.NextDouble() < FaultShare)
            await floor.RaiseFaultAsync(name, faultCodes[random.Next(faultCodes.Length)]);
        else
            await floor.CompleteCycleAsync(order, name, random.NextDouble() < ScrapShare ? defects[random.Next(defects.Length)] : null);
    }
}
