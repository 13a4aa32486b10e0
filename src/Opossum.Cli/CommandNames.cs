using System.CommandLine.Parsing;

namespace Opossum.Cli;

/// <summary>Names a command as the user types it.</summary>
internal static class CommandNames
{
    /// <summary>The whole name, such as <c>opossum repair truncate</c>.</summary>
    public static string Of(CommandResult command) =>
        command.Parent is CommandResult parent ? $"{Of(parent)} {command.Command.Name}" : "opossum";
}
