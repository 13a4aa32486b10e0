using System.Text.RegularExpressions;

namespace Opossum.Tests.Architecture;

/// <summary>What starts a process is in Opossum.OutsideTests: the other two test projects are fast on any machine.</summary>
public sealed partial class ProcessTests
{
    [Fact]
    public void Only_the_outside_tests_start_processes()
    {
        var folders = ((string[])["Opossum.Tests", "Opossum.CrashTests", "Shared"])
            .Select(static name => Path.Combine(SourceTree.Root, "tests", name) + Path.DirectorySeparatorChar).ToList();
        var files = SourceTree.CSharpFiles.Where(file => folders.Exists(folder => file.StartsWith(folder, StringComparison.Ordinal))).ToList();

        Assert.Contains(files, static file => file.EndsWith($"{nameof(ProcessTests)}.cs", StringComparison.Ordinal));
        Assert.Equal("", string.Join('\n', files.Where(static file => Start().IsMatch(File.ReadAllText(file)))));
    }

    [GeneratedRegex(@"\bProcess\.Start\b|\bnew (System\.Diagnostics\.)?Process(StartInfo)?\b")]
    private static partial Regex Start();
}
