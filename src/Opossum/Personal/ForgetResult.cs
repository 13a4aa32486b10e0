namespace Opossum;

/// <summary>What <see cref="IPersonalData.ForgetAsync"/> has done.</summary>
/// <param name="Subject">The person.</param>
/// <param name="Forgotten">When the key was removed.</param>
/// <param name="Position">The position of the <see cref="PersonForgotten"/> event; null if the person was already forgotten.</param>
/// <param name="HadKey">Whether there was a key: if not, no personal data of the person was ever stored encrypted.</param>
public sealed record ForgetResult(Tag Subject, DateTimeOffset Forgotten, long? Position, bool HadKey)
{
    /// <summary>Whether an earlier call had already forgotten the person.</summary>
    public bool WasForgotten => Position is null;
}
