using Opossum;
using Opossum.Maintenance;

namespace AssemblyLine;

/// <summary>Checks against all events that no process broke a rule and that the read models match the events.</summary>
internal static class SelfCheck
{
    private const int Shown = 10;

    /// <summary>Reads the history and prints the result. False when something is wrong.</summary>
    public static async Task<bool> RunAsync(History history, ProjectionCollection projections)
    {
        Console.WriteLine("Self-check");
        var rules = Print("no order claimed twice, no operator at two machines, completed orders have all their parts", history.BrokenRules);
        var machines = await CompareAsync("the machines' states", history.Machines, projections.Get<MachineState>(), history.Head);
        var orders = await CompareAsync("the order board", history.Orders, projections.Get<OrderProgress>(), history.Head);
        var shifts = await CompareAsync("the shifts' totals", history.Shifts, projections.Get<ShiftTotal>(), history.Head);
        return rules && machines && orders && shifts;
    }

    /// <summary>Checks the files of the store.</summary>
    public static async Task<bool> CheckFilesAsync(string store)
    {
        var report = await StoreCheck.RunAsync(store);
        return Print($"the files of all {report.Events:N0} events and the index are whole",
            [.. report.Findings.Select(finding => finding.ToString())]);
    }

    private static async Task<bool> CompareAsync<TState>(string what, Dictionary<string, TState> expected, IProjectionStore<TState> readModel,
        long head)
        where TState : class
    {
        await readModel.WaitForAsync(head);
        var wrong = new List<string>();
        var missing = expected.Keys.ToHashSet();
        await foreach (var entry in readModel.ReadAllAsync())
        {
            missing.Remove(entry.Key);
            // This history cannot judge what another line on the same store has changed since it was read.
            var right = expected.GetValueOrDefault(entry.Key);
            if (entry.Position <= head && !entry.State.Equals(right))
                wrong.Add($"{entry.Key} is {entry.State}, but the events make it {right?.ToString() ?? "nothing"}");
        }
        wrong.AddRange(missing.Select(key => $"{key} is missing"));
        return Print($"files and events agree on {what} ({expected.Count} compared)", wrong);
    }

    private static bool Print(string claim, IReadOnlyList<string> violations)
    {
        Console.WriteLine($"  {(violations.Count == 0 ? "ok   " : "WRONG")}  {claim}");
        foreach (var violation in violations.Take(Shown))
            Console.WriteLine($"         {violation}");
        if (violations.Count > Shown)
            Console.WriteLine($"         and {violations.Count - Shown} more");
        return violations.Count == 0;
    }
}
