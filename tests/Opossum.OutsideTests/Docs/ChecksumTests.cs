using System.Diagnostics;
using System.Text;
using System.Text.RegularExpressions;

namespace Opossum.DocTests;

/// <summary>What docs/storage-format.md tells of the checksum can be followed, and the files that documents show have the right one.</summary>
public sealed partial class ChecksumTests : DocumentCode
{
    [Fact]
    public void The_recipe_fits_each_event_of_the_golden_store()
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "On Windows python3 may be a program that only offers to install it.");
        var format = File.ReadAllText(Path.Combine(Repository.Root, "docs", "storage-format.md"));
        var files = Directory.GetFiles(Path.Combine(Repository.Root, "tests", "stores"), "*.json", SearchOption.AllDirectories).Where(file => char.IsAsciiDigit(Path.GetFileName(file)[0])).ToArray();
        var start = new ProcessStartInfo("python3", ["-c", PythonBlock().Match(format).Groups["code"].Value, .. files]) { RedirectStandardOutput = true };
        try
        {
            using var python = Process.Start(start)!;
            var lines = python.StandardOutput.ReadToEnd().Split('\n', StringSplitOptions.RemoveEmptyEntries);
            python.WaitForExit();

            Assert.NotEmpty(files);
            Assert.Equal(files.Select(file => $"{file} fits"), lines.Select(line => line.TrimEnd('\r')));
        }
        catch (System.ComponentModel.Win32Exception)
        {
            Assert.Skip("There is no python3 here.");
        }
    }

    [Fact]
    public void Each_file_that_is_shown_has_its_checksum()
    {
        var shown = Repository.Documents.SelectMany(document => JsonBlock().Matches(File.ReadAllText(document).ReplaceLineEndings("\n"))).Select(match => match.Groups["text"].Value).Where(text => text.Contains("\"checksum\"", StringComparison.Ordinal)).ToList();

        Assert.NotEmpty(shown);
        Assert.All(shown, text =>
        {
            var canonical = StringOrWhiteSpace().Replace(text, match => match.Value[0] == '"' ? match.Value : "");
            Assert.EndsWith($",\"checksum\":\"crc32c:{Crc32C(canonical[..canonical.LastIndexOf(",\"checksum\"", StringComparison.Ordinal)]):x8}\"}}", canonical, StringComparison.Ordinal);
        });
    }

    private static uint Crc32C(string text)
    {
        var crc = uint.MaxValue;
        foreach (var octet in Encoding.UTF8.GetBytes(text))
        {
            crc ^= octet;
            for (var bit = 0; bit < 8; bit++)
                crc = (crc >> 1) ^ ((crc & 1) * 0x82F63B78);
        }
        return ~crc;
    }

    [GeneratedRegex(@"```python\r?\n(?<code>.*?)```", RegexOptions.Singleline)]
    private static partial Regex PythonBlock();

    [GeneratedRegex(@"```json\n(?<text>.*?)```", RegexOptions.Singleline)]
    private static partial Regex JsonBlock();

    [GeneratedRegex("\"(?:[^\"\\\\]|\\\\.)*\"|[ \\t\\r\\n]+")]
    private static partial Regex StringOrWhiteSpace();
}
