using Opossum.Storage;
using Opossum.Testing;
using Opossum.Testing.Simulated;

namespace Opossum.Tests.Durability;

/// <summary>A store with a small journal, from which nothing is written unless a test says so.</summary>
public abstract class JournalledStore : IDisposable
{
    private protected JournalledStore() => Place.FilesBehind = new FilesBehindSettings { FilledAhead = 4_096 };

    private protected StorePlace Place { get; } = StorePlace.On(VolumeKind.Ext4);

    /// <summary>Its timers stand still.</summary>
    private protected TestClock Clock { get; } = new();

    private protected string FirstFile => Place.Layout.Segment(0);

    public void Dispose()
    {
        Place.Dispose();
        GC.SuppressFinalize(this);
    }

    private protected FileSystemEventStore OpenWithJournal() => Place.Open(WithJournal);

    private protected void WithJournal(OpossumOptions options)
    {
        options.UseJournal = true;
        options.TimeProvider = Clock;
    }

    /// <summary>What the processes would leave if all of them ended now.</summary>
    private protected StorePlace WhatIsLeft() => StorePlace.On(Place.Disk!.Copy());
}
