using Opossum.Testing.Simulated;

namespace Opossum.Tests.Durability;

/// <summary>
/// Lets several hosts work at the same time, one file operation of one host after the other, in an order that the random choices make: each
/// works on a thread of its own, and only one runs at a time.
/// </summary>
internal sealed class Interleaving(Random random)
{
    private readonly List<Host> hosts = [];

    /// <summary>Called between two operations, when nobody is at work.</summary>
    public Action? Meanwhile { get; init; }

    /// <summary>Adds a host, which works when <see cref="Run"/> is called.</summary>
    public void Add(SimulatedFileSystem client, Action work) => hosts.Add(new Host(client, work));

    /// <summary>Works until all hosts have ended.</summary>
    public void Run()
    {
        // From long runs of one host to a change at every operation.
        var changes = random.NextDouble();
        var open = hosts.ToList();
        var next = open[random.Next(open.Count)];
        while (open.Count > 0)
        {
            if (next.HasEnded || random.NextDouble() < changes)
                next = open[random.Next(open.Count)];
            next.Step();
            Meanwhile?.Invoke();
            open.RemoveAll(static host => host.HasEnded);
        }
        hosts.ForEach(static host => host.Dispose());
        if (hosts.Select(static host => host.Error).OfType<Exception>().FirstOrDefault() is { } error)
            throw new InvalidOperationException($"A host failed: {error.Message}", error);
    }

    private sealed class Host : IDisposable
    {
        private readonly SemaphoreSlim mayGoOn = new(0);
        private readonly SemaphoreSlim hasStopped = new(0);
        private readonly SimulatedFileSystem client;
        private readonly Thread thread;

        public Host(SimulatedFileSystem client, Action work)
        {
            this.client = client;
            client.BeforeOperation = _ =>
            {
                hasStopped.Release();
                mayGoOn.Wait();
            };
            thread = new Thread(() => Work(work));
        }

        public bool HasEnded { get; private set; }

        public Exception? Error { get; private set; }

        /// <summary>Goes on up to the next operation or the end.</summary>
        public void Step()
        {
            if (!thread.IsAlive)
                thread.Start();
            else
                mayGoOn.Release();
            hasStopped.Wait();
        }

        public void Dispose()
        {
            client.BeforeOperation = null;
            mayGoOn.Dispose();
            hasStopped.Dispose();
        }

        private void Work(Action work)
        {
            try
            {
                work();
            }
            catch (Exception e)
            {
                Error = e;
            }
            HasEnded = true;
            hasStopped.Release();
        }
    }
}
