using System.Diagnostics;

namespace Opossum.Diagnostics;

/// <summary>What an append adds to the metadata of its events, and where it comes from; see docs/decisions/0032.</summary>
internal static class EventContext
{
    /// <summary>The context of an append of this flow of execution.</summary>
    /// <param name="append">The append's own activity; null: it has none.</param>
    public static List<KeyValuePair<string, string>> Of(Activity? append)
    {
        var context = new List<KeyValuePair<string, string>>(4);
        var activity = (append ?? Activity.Current) is { IdFormat: ActivityIdFormat.W3C } traced ? traced : null;
        var cause = ProcessingScope.Current;
        Add(MetadataNames.TraceParent, activity?.Id);
        Add(MetadataNames.TraceState, activity?.TraceStateString);
        Add(MetadataNames.CorrelationId, cause is null ? activity?.TraceId.ToHexString() : CorrelationOf(cause));
        Add(MetadataNames.CausationId, cause?.Id.ToString());
        return context;

        void Add(string key, string? value)
        {
            if (!string.IsNullOrEmpty(value))
                context.Add(new(key, value));
        }
    }

    private static string CorrelationOf(SequencedEvent cause) =>
        cause.Metadata.GetValueOrDefault(MetadataNames.CorrelationId) ?? cause.Id.ToString();
}
