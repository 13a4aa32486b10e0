namespace Opossum.Tests;

/// <summary>
/// Tests that take seconds, or programs that few machines have: whole samples, browsers, servers, processes that are killed again and again, very
/// large files. They run when the environment asks for them, as .ci/run does.
/// </summary>
internal static class LongTests
{
    public const string Reason = "It takes long, or a program that few machines have: OPOSSUM_TEST_LONG=1 runs it, and .ci/run does.";

    public static bool AreAsked { get; } = Environment.GetEnvironmentVariable("OPOSSUM_TEST_LONG") == "1";

    /// <summary>How many of something are tried: few, or those of the long half.</summary>
    public static int Number(int usually, int asked) => AreAsked ? asked : usually;

    public static void SkipUnlessAsked() => SkipUnless(false);

    /// <summary>Skips a case that is not one of those that a usual run has, unless the long half is asked for.</summary>
    public static void SkipUnless(bool isUsual) => Assert.SkipUnless(isUsual || AreAsked, Reason);
}
