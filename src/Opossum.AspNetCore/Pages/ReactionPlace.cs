namespace Opossum.AspNetCore.Pages;

/// <summary>After which of the events of its three lists the page of a reaction begins.</summary>
/// <param name="Parked">The position after which the parked events are; 0: from the first one on.</param>
/// <param name="Scheduled">The name of the file after which the due events are; empty: from the first one on.</param>
/// <param name="Skipped">The position after which the skipped events are; 0: from the first one on.</param>
internal sealed record ReactionPlace(string Name, long Parked, string Scheduled, long Skipped)
{
    /// <summary>The path of the page, from the folder of the pages.</summary>
    public string Path
    {
        get
        {
            var fields = new List<string>();
            if (Parked > 0)
                fields.Add(FormattableString.Invariant($"{ReactionRequests.ParkedField}={Parked}"));
            if (Scheduled.Length > 0)
                fields.Add($"{ReactionRequests.ScheduledField}={Uri.EscapeDataString(Scheduled)}");
            if (Skipped > 0)
                fields.Add(FormattableString.Invariant($"{ReactionRequests.SkippedField}={Skipped}"));
            return ReactionRequests.PathOf(Name) + (fields.Count == 0 ? "" : $"?{string.Join('&', fields)}");
        }
    }
}
