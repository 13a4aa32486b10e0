using Opossum.Cli;
using Opossum.Cli.Terminals;

using var terminal = Terminal.OfProcess();
using var interruption = new Interruption();
return await CommandLine.RunAsync(args, terminal, interruption.Token).ConfigureAwait(false);
