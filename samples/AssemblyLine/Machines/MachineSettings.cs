namespace AssemblyLine;

/// <summary>The settings that the control room passes to a machine's process on its command line.</summary>
/// <param name="Name">The machine's name.</param>
/// <param name="Store">The store's folder.</param>
/// <param name="Operators">The number of operators for all machines.</param>
/// <param name="Rate">Events per second of this machine.</param>
/// <param name="Seed">The seed of its random choices.</param>
internal sealed record MachineSettings(string Name, string Store, int Operators, double Rate, int Seed);
