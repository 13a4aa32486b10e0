namespace Opossum.Cli.Terminals;

/// <summary>The styles of text on a screen, by their ANSI numbers.</summary>
internal enum Style
{
    Bold = 1,
    Dim = 2,
    Red = 31,
    Green = 32,
    Yellow = 33,
    Cyan = 36,
}
