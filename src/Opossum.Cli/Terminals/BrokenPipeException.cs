namespace Opossum.Cli.Terminals;

/// <summary>The program that read the output has ended.</summary>
internal sealed class BrokenPipeException(IOException cause) : IOException(cause.Message, cause);
