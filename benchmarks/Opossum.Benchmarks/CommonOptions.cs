using System.CommandLine;
using System.CommandLine.Parsing;
using Opossum.Benchmarks.Measuring;

namespace Opossum.Benchmarks;

/// <summary>The options that commands share.</summary>
internal static class CommonOptions
{
    public static Option<DirectoryInfo> Folder { get; } = new("--dir")
    {
        Validators = { RefuseFile },
        Description = "Where to measure: a folder on the disk in question. Default: the folder for temporary files.",
        DefaultValueFactory = _ => new DirectoryInfo(Path.GetTempPath()),
    };

    public static Option<bool> IsShort { get; } =
        new("--short") { Description = "A run of seconds that shows that everything works; its figures mean little." };

    public static Option<DirectoryInfo?> Output { get; } = new("--output")
    {
        Validators = { RefuseFile },
        Description = "The folder whose RESULTS.md gets the command's section, and its folder plots the pictures. Default: nothing is written.",
    };

    /// <summary>See <see cref="LoopVolume"/>.</summary>
    public static Option<string?> Loop { get; } = CreateLoop();

    /// <summary>For options that name a folder: it may be missing, but must not be a file.</summary>
    public static void RefuseFile(OptionResult result)
    {
        foreach (var token in result.Tokens)
        {
            if (File.Exists(token.Value))
                result.AddError($"{result.Option.Name} needs a folder, and {token.Value} is a file.");
        }
    }

    private static Option<string?> CreateLoop()
    {
        var loop = new Option<string?>("--loop")
        {
            Description = "Measures on a file system of this kind instead, made in a file below --dir and removed afterwards: ext4 or xfs. On Linux, "
                + "by root.",
        };
        return loop.AcceptOnlyFromAmong([.. LoopVolume.Kinds]);
    }
}
