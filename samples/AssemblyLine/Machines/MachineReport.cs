using System.Text.Json;

namespace AssemblyLine;

/// <summary>A machine's report to the control room, a line of JSON on standard output: what happened since the previous line.</summary>
/// <param name="AppendMilliseconds">The duration of each append.</param>
/// <param name="Conflicts">The number of appends refused because another event came first.</param>
internal sealed record MachineReport(IReadOnlyList<double> AppendMilliseconds, int Conflicts)
{
    public static MachineReport Nothing { get; } = new([], 0);

    public static MachineReport Parse(string line) => JsonSerializer.Deserialize<MachineReport>(line)!;

    public override string ToString() => JsonSerializer.Serialize(this);
}
