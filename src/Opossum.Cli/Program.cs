using Opossum.Cli;
using Opossum.Cli.Terminals;

using var terminal = Terminal.OfProcess();
using var interruption = new Interruption();
return CommandLine.Run(args, terminal, interruption.Token);
