using Opossum.Decisions;

namespace Opossum;

/// <summary>What a decision has to know, folded from the events that matter to it.</summary>
/// <typeparam name="TState">The state that the events are folded into.</typeparam>
/// <remarks>
/// Made by <see cref="DecisionProjection.Create"/>, and from others by <see cref="DecisionProjection.Combine{T1, T2}"/>. Immutable: it may be
/// kept, and used by several threads at once. See docs/decision-models.md and https://dcb.events/topics/projections.
/// </remarks>
public abstract class DecisionProjection<TState>
{
    private protected DecisionProjection()
    {
    }

    /// <summary>The events that the state follows from. A decision on the state may be appended when no further one has come.</summary>
    /// <exception cref="InvalidOperationException">There is a projection without handlers.</exception>
    public Query Query
    {
        get
        {
            var folds = new List<DecisionFold>();
            Begin(folds);
            return DecisionFold.QueryOf(folds);
        }
    }

    /// <summary>Begins anew: adds the folds that events have to go through, and gives what tells the state after that.</summary>
    internal abstract Func<TState> Begin(List<DecisionFold> folds);
}

/// <summary>Makes decision projections: from handlers of events, and from other decision projections.</summary>
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
    /// <summary>A projection that has no handlers yet; <c>On</c> gives it some.</summary>
    /// <param name="initialState">
    /// The state when there are no events. It must be immutable, and handlers return a new one: it is begun with again at every try of a decision.
    /// </param>
    /// <param name="tags">The tags that an event must carry, all of them, to count. None: any event of a handled type counts.</param>
    /// <exception cref="ArgumentException">A tag is <c>default(Tag)</c>.</exception>
    public static SingleDecisionProjection<TState> Create<TState>(TState initialState, params IEnumerable<Tag> tags)
    {
        ArgumentNullException.ThrowIfNull(tags);
        return new SingleDecisionProjection<TState>(initialState, new QueryItem { Tags = [.. tags] });
    }

    /// <summary>Two projections as one: read together, at one moment, and guarded by one condition.</summary>
    /// <returns>A projection whose state is the tuple of theirs. The members can be named by the type it is assigned to or returned as.</returns>
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

    /// <summary>Four projections as one; more than five are combined in steps.</summary>
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

    /// <summary>Five projections as one; more than five are combined in steps.</summary>
    /// <inheritdoc cref="Combine{T1, T2}"/>
    public static DecisionProjection<(T1, T2, T3, T4, T5)> Combine<T1, T2, T3, T4, T5>(
        DecisionProjection<T1> first, DecisionProjection<T2> second, DecisionProjection<T3> third, DecisionProjection<T4> fourth, DecisionProjection<T5> fifth)
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

    /// <summary>Any number of projections of one kind as one, such as one for each article of a cart.</summary>
    /// <param name="projections">At least one.</param>
    /// <returns>A projection whose state is the list of theirs, in their order.</returns>
    /// <exception cref="ArgumentException">There are none, or one of them is null.</exception>
    public static DecisionProjection<IReadOnlyList<T>> Combine<T>(IEnumerable<DecisionProjection<T>> projections)
    {
        ArgumentNullException.ThrowIfNull(projections);
        var list = projections.ToArray();
        if (list.Length == 0 || list.Contains(null))
            throw new ArgumentException("A decision rests on at least one decision projection, and none of them is null.", nameof(projections));
        return new CombinedDecisionProjection<IReadOnlyList<T>>(folds =>
        {
            var states = Array.ConvertAll(list, projection => projection.Begin(folds));
            return () => Array.ConvertAll(states, state => state());
        });
    }
}
