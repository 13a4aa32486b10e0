namespace AssemblyLine;

/// <summary>Notices for the person watching the line: printed at once, or kept for the live view.</summary>
internal sealed class Notices(bool print)
{
    private const int Kept = 5;

    private readonly Lock gate = new();
    private readonly Queue<string> latest = new();

    public IReadOnlyList<string> Latest
    {
        get
        {
            lock (gate)
                return [.. latest];
        }
    }

    public void Add(string notice)
    {
        lock (gate)
        {
            latest.Enqueue($"{DateTime.Now:HH:mm:ss} {notice}");
            if (latest.Count > Kept)
                latest.Dequeue();
            if (print)
                Console.WriteLine(notice);
        }
    }
}
