namespace Opossum;

/// <summary>
/// How a host keeps a store of <c>AddOpossum</c>, by <c>services.Configure&lt;OpossumHostOptions&gt;(...)</c>, under the text of the
/// store's key if it has one. A store's section of the configuration may contain them as <c>Host</c>.
/// </summary>
public sealed class OpossumHostOptions
{
    /// <summary>
    /// Whether the host opens the store again when it accepts no more appends, as after a failed flush: up to 10 attempts, with
    /// pauses that start at 1 s and double up to 1 minute. Default: true.
    /// </summary>
    public bool ReopenAfterFault { get; set; } = true;
}
