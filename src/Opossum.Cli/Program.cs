using Opossum.Cli;
using Opossum.Cli.Terminals;

using var interruption = new Interruption();
using var terminal = Terminal.OfProcess();
return CommandLine.Run(args, terminal, interruption.Token);
