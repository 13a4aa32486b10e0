namespace AssemblyLine;

/// <summary>What the control room tells the process of a machine on its command line.</summary>
/// <param name="Name">The machine's name.</param>
/// <param name="Store">The store's folder.</param>
/// <param name="Operators">How many operators there are, for all machines.</param>
/// <param name="Rate">Events a second, of this machine.</param>
/// <param name="Seed">What its random choices come from.</param>
internal sealed record MachineSettings(string Name, string Store, int Operators, double Rate, int Seed);
