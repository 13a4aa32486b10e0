using System.Text;

namespace Opossum.ProcessTests.Worker;

/// <summary>A worker's talk with the test that started it: a line a message.</summary>
internal static class Lines
{
    private static readonly Stream output = Console.OpenStandardOutput();

    /// <summary>Tells the test something, by one write: a line of a process that is killed is there wholly or not at all.</summary>
    public static void Say(string line)
    {
        var bytes = Encoding.UTF8.GetBytes(line + '\n');
        lock (output)
            output.Write(bytes);
    }

    /// <summary>What the test says next; null: it is done with this process, or gone.</summary>
    public static string? Hear() => Console.ReadLine();

    /// <summary>All that the test says up to an empty line.</summary>
    public static IEnumerable<string> HearAll()
    {
        while (Hear() is { Length: > 0 } line)
            yield return line;
    }

    /// <summary>Ends this process when the test is gone, while the caller is busy.</summary>
    public static void EndWithTheTest() => new Thread(static () =>
    {
        while (Hear() is not null)
        {
        }
        Environment.Exit(1);
    })
    { IsBackground = true }.Start();
}
