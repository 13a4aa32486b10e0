namespace Opossum.Cli.Commands;

/// <summary>What <c>opossum forget</c> did, or would do.</summary>
/// <param name="Subject">The person.</param>
/// <param name="Before">What the folder of keys had for the person before.</param>
/// <param name="Forgotten">When the key was removed; null for a dry run that would remove it.</param>
/// <param name="Position">The position of the event that says so; null when it is not appended now.</param>
/// <param name="IsDryRun">Whether nothing was changed.</param>
internal sealed record ForgetReport(string Subject, PersonKeyState Before, DateTimeOffset? Forgotten, long? Position, bool IsDryRun);
