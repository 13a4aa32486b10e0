using System.Text.Json;

namespace AssemblyLine;

/// <summary>What a machine's process tells the control room, a line of JSON on its standard output: what has happened since the line before.</summary>
/// <param name="AppendMilliseconds">How long each append took.</param>
/// <param name="Conflicts">How many appends were refused because another event came first.</param>
internal sealed record MachineReport(IReadOnlyList<double> AppendMilliseconds, int Conflicts)
{
    public static MachineReport Nothing { get; } = new([], 0);

    public static MachineReport Parse(string line) => JsonSerializer.Deserialize<MachineReport>(line)!;

    public override string ToString() => JsonSerializer.Serialize(this);
}
