using Opossum.Tests.Architecture;

namespace Opossum.EntityFrameworkCoreTests;

public sealed class PublicApiTests
{
    [Fact]
    public void The_public_api_is_the_approved_one()
    {
        var approvedFile = Path.Combine(SourceTree.Root, "tests", "Opossum.OutsideTests", "EntityFrameworkCore",
            "PublicApi.EntityFrameworkCore.approved.txt");
        var receivedFile = Path.Combine(AppContext.BaseDirectory, "PublicApi.EntityFrameworkCore.received.txt");
        var received = PublicApiText.Of(typeof(OpossumDbProjectionExtensions).Assembly);
        File.WriteAllText(receivedFile, received);

        Assert.True(File.Exists(approvedFile) && received == File.ReadAllText(approvedFile).ReplaceLineEndings("\n"),
            $"The public API is not the approved one. If that is what you want, approve it with\n  cp \"{receivedFile}\" \"{approvedFile}\"\n"
            + "and say in the commit, and in CHANGELOG.md, what changes for users.");
    }
}
