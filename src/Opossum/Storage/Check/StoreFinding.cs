namespace Opossum;

/// <summary>One thing that is wrong with a store.</summary>
/// <param name="Kind">Which promise is broken.</param>
/// <param name="Path">The file or folder concerned.</param>
/// <param name="Position">The position concerned; null when the finding is not about one.</param>
/// <param name="Message">A description of what is wrong.</param>
/// <param name="Remedy">What repairs it.</param>
public sealed record StoreFinding(StoreFindingKind Kind, string Path, long? Position, string Message, StoreRemedy Remedy)
{
    /// <summary>The finding as one line.</summary>
    public override string ToString() => $"{Kind}: {Message} ({Remedy})";
}
