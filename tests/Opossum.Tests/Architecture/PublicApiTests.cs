using Opossum.Testing;

namespace Opossum.Tests.Architecture;

public sealed class PublicApiTests
{
    [Theory]
    [InlineData(typeof(IEventStore), "PublicApi")]
    [InlineData(typeof(InMemoryEventStore), "PublicApi.Testing")]
    public void The_public_api_is_the_approved_one(Type typeOfAssembly, string name)
    {
        var approvedFile = Path.Combine(SourceTree.Root, "tests", "Opossum.Tests", "Architecture", $"{name}.approved.txt");
        var receivedFile = Path.Combine(AppContext.BaseDirectory, $"{name}.received.txt");
        var received = PublicApiText.Of(typeOfAssembly.Assembly);
        var approved = File.Exists(approvedFile) ? File.ReadAllText(approvedFile).ReplaceLineEndings("\n") : "";
        if (received == approved)
            return;

        File.WriteAllText(receivedFile, received);
        Assert.Fail($"""
            The public API is not the approved one. Lines that came (+) and went (-):
            {string.Join('\n', Difference(approved, received))}
            If that is what you want, approve it with
              cp "{receivedFile}" "{approvedFile}"
            and say in the commit, and in CHANGELOG.md, what changes for users.
            """);
    }

    private static IEnumerable<string> Difference(string approved, string received)
    {
        var (before, after) = (WithType(approved), WithType(received));
        return before.Except(after).Select(line => $"- {line}").Concat(after.Except(before).Select(line => $"+ {line}"));
    }

    // A member's line alone does not say whose member it is.
    private static List<string> WithType(string text)
    {
        var lines = new List<string>();
        var type = "";
        foreach (var line in text.Split('\n', StringSplitOptions.RemoveEmptyEntries))
        {
            if (line[0] != ' ')
                type = line;
            lines.Add(line[0] == ' ' ? $"{type} :: {line.Trim()}" : line);
        }
        return lines;
    }
}
