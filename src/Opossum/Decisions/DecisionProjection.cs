using Opossum.Decisions;

namespace Opossum;

/// <summary>The state that a decision needs, built from events.</summary>
/// <typeparam name="TState">The type of the state.</typeparam>
/// <remarks>
/// Created by <see cref="DecisionProjection.Create"/>, or from others by <see cref="DecisionProjection.Combine{T1, T2}"/>. Immutable and thread-safe:
/// it may be kept and reused. See docs/decision-models.md and https://dcb.events/topics/projections.
/// </remarks>
public abstract class DecisionProjection<TState>
{
    private protected DecisionProjection()
    {
    }

    /// <summary>
    /// The query that selects the events of the state. A decision on the state may be appended while no new event matches this query.
    /// </summary>
    /// <exception cref="InvalidOperationException">A projection has no handlers.</exception>
    public Query Query
    {
        get
        {
            var folds = new List<DecisionFold>();
            Begin(folds);
            return DecisionFold.QueryOf(folds);
        }
    }

    /// <summary>Starts from the initial state: adds the folds to apply, and returns a function that reads the state after them.</summary>
    internal abstract Func<TState> Begin(List<DecisionFold> folds);
}

/// <summary>Creates decision projections from event handlers and from other decision projections.</summary>
/// <example><code>
/// static DecisionProjection&lt;int&gt; FreeSeats(string course) =>
///     DecisionProjection.Create(0, new Tag("course", course))
///         .On&lt;CourseDefined&gt;((_, defined) => defined.Seats)
///         .On&lt;StudentSubscribed&gt;((free, _) => free - 1);
///
/// static DecisionProjection&lt;bool&gt; IsSubscribed(string course, string student) =>
///     DecisionProjection.Create(false, new Tag("course", course), new Tag("student", student))
///         .On&lt;StudentSubscribed&gt;((_, _) => true);
///
/// static DecisionProjection&lt;(int FreeSeats, bool IsSubscribed)&gt; Subscription(string course, string student) =>
///     DecisionProjection.Combine(FreeSeats(course), IsSubscribed(course, student));
/// </code></example>
public static class DecisionProjection
{
    /// <summary>Creates a projection without handlers; add them with <c>On</c>.</summary>
    /// <param name="initialState">
    /// The state before any event. It must be immutable, with handlers that return a new state: every attempt of a decision starts from it again.
    /// </param>
    /// <param name="tags">The tags, all of which an event must carry to be applied. None: every event of a handled type is applied.</param>
    /// <exception cref="ArgumentException">A tag is <c>default(Tag)</c>.</exception>
    public static SingleDecisionProjection<TState> Create<TState>(TState initialState, params Tag[] tags)
    {
        ArgumentNullException.ThrowIfNull(tags);
        return new SingleDecisionProjection<TState>(initialState, new QueryItem { Tags = [.. tags] });
    }

    /// <summary>Combines two projections into one, read together at one head and guarded by one condition.</summary>
    /// <returns>
    /// A projection whose state is the tuple of their states. The type of the variable or of the return value can name the tuple's members.
    /// </returns>
    public static DecisionProjection<(T1, T2)> Combine<T1, T2>(DecisionProjection<T1> first, DecisionProjection<T2> second)
    {
        ArgumentNullException.ThrowIfNull(first);
        ArgumentNullException.ThrowIfNull(second);
        return new CombinedDecisionProjection<(T1, T2)>(folds =>
        {
            var states = (first.Begin(folds), second.Begin(folds));
            return () => (states.Item1(), states.Item2());
        });
    }

    /// <summary>Three projections as one; more than five are combined in steps.</summary>
    /// <inheritdoc cref="Combine{T1, T2}"/>
    public static DecisionProjection<(T1, T2, T3)> Combine<T1, T2, T3>(
        DecisionProjection<T1> first, DecisionProjection<T2> second, DecisionProjection<T3> third)
    {
        ArgumentNullException.ThrowIfNull(first);
        ArgumentNullException.ThrowIfNull(second);
        ArgumentNullException.ThrowIfNull(third);
        return new CombinedDecisionProjection<(T1, T2, T3)>(folds =>
        {
            var states = (first.Begin(folds), second.Begin(folds), third.Begin(folds));
            return () => (states.Item1(), states.Item2(), states.Item3());
        });
    }

    /// <summary>Combines four projections into one; combine more than five in steps.</summary>
    /// <inheritdoc cref="Combine{T1, T2}"/>
    public static DecisionProjection<(T1, T2, T3, T4)> Combine<T1, T2, T3, T4>(
        DecisionProjection<T1> first, DecisionProjection<T2> second, DecisionProjection<T3> third, DecisionProjection<T4> fourth)
    {
        ArgumentNullException.ThrowIfNull(first);
        ArgumentNullException.ThrowIfNull(second);
        ArgumentNullException.ThrowIfNull(third);
        ArgumentNullException.ThrowIfNull(fourth);
        return new CombinedDecisionProjection<(T1, T2, T3, T4)>(folds =>
        {
            var states = (first.Begin(folds), second.Begin(folds), third.Begin(folds), fourth.Begin(folds));
            return () => (states.Item1(), states.Item2(), states.Item3(), states.Item4());
        });
    }

    /// <summary>Combines five projections into one; combine more than five in steps.</summary>
    /// <inheritdoc cref="Combine{T1, T2}"/>
    public static DecisionProjection<(T1, T2, T3, T4, T5)> Combine<T1, T2, T3, T4, T5>(
        DecisionProjection<T1> first, DecisionProjection<T2> second, DecisionProjection<T3> third, DecisionProjection<T4> fourth,
        DecisionProjection<T5> fifth)
    {
        ArgumentNullException.ThrowIfNull(first);
        ArgumentNullException.ThrowIfNull(second);
        ArgumentNullException.ThrowIfNull(third);
        ArgumentNullException.ThrowIfNull(fourth);
        ArgumentNullException.ThrowIfNull(fifth);
        return new CombinedDecisionProjection<(T1, T2, T3, T4, T5)>(folds =>
        {
            var states = (first.Begin(folds), second.Begin(folds), third.Begin(folds), fourth.Begin(folds), fifth.Begin(folds));
            return () => (states.Item1(), states.Item2(), states.Item3(), states.Item4(), states.Item5());
        });
    }

    /// <summary>Combines any number of projections of the same type into one, such as one for each article of a cart.</summary>
    /// <param name="projections">The projections: at least one.</param>
    /// <returns>A projection whose state is the list of their states, in the same order.</returns>
    /// <exception cref="ArgumentException">There are no projections, or one of them is null.</exception>
    public static DecisionProjection<IReadOnlyList<T>> Combine<T>(IEnumerable<DecisionProjection<T>> projections)
    {
        ArgumentNullException.ThrowIfNull(projections);
        var list = projections.ToArray();
        if (list.Length == 0 || list.Contains(null))
            throw new ArgumentException("A decision needs at least one decision projection, and none of them may be null.", nameof(projections));
        return new CombinedDecisionProjection<IReadOnlyList<T>>(folds =>
        {
            var states = Array.ConvertAll(list, projection => projection.Begin(folds));
            return () => Array.ConvertAll(states, state => state());
        });
    }
}
