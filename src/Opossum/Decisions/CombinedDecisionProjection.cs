namespace Opossum.Decisions;

/// <summary>Combines several decision projections into one.</summary>
internal sealed class CombinedDecisionProjection<TState>(Func<List<DecisionFold>, Func<TState>> begin) : DecisionProjection<TState>
{
    internal override Func<TState> Begin(List<DecisionFold> folds) => begin(folds);
}
