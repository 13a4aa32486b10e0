using Opossum.DependencyInjection;

namespace Opossum;

/// <summary>The use of a store of <see cref="IEventStores"/>, which stays open until the lease is disposed.</summary>
public sealed class EventStoreLease : IDisposable
{
    private readonly ProjectionRunner? projections;
    private Action? end;

    internal EventStoreLease(LeasedStore leased, Action end)
    {
        Name = leased.Name;
        Store = leased.Store;
        PersonalData = leased.Store;
        projections = leased.Runner;
        this.end = end;
    }

    /// <summary>The store's name.</summary>
    public string Name { get; }

    /// <summary>The store. Do not use it after the lease is disposed: it may be closed at any moment then.</summary>
    public IEventStore Store { get; }

    /// <summary>The store's personal data. Do not use it after the lease is disposed.</summary>
    public IPersonalData PersonalData { get; }

    /// <summary>The store's projections: <c>lease.Projections.GetStore&lt;TState&gt;()</c> returns the states of one.</summary>
    /// <exception cref="InvalidOperationException">No projection was added to the stores.</exception>
    public ProjectionRunner Projections => projections
        ?? throw new InvalidOperationException("No projection was added to the stores; add one with AddOpossumStores(...).AddProjection<T>().");

    /// <summary>Ends the use. Further calls do nothing.</summary>
    public void Dispose() => Interlocked.Exchange(ref end, null)?.Invoke();
}
