namespace Opossum.Maintenance;

/// <summary>One thing that is wrong with a store.</summary>
public sealed record StoreFinding
{
    /// <summary>Which promise is broken.</summary>
    public required FindingKind Kind { get; init; }

    /// <summary>The file or folder concerned.</summary>
    public required string Path { get; init; }

    /// <summary>The position concerned; null when the finding is not about one.</summary>
    public required long? Position { get; init; }

    /// <summary>A description of what is wrong.</summary>
    public required string Message { get; init; }

    /// <summary>What repairs it.</summary>
    public required Remedy Remedy { get; init; }

    internal static StoreFinding Of(FindingKind kind, string path, string message, Remedy remedy,
        long? position = null) =>
        new() { Kind = kind, Path = path, Position = position, Message = message, Remedy = remedy };

    /// <summary>The finding as one line.</summary>
    public override string ToString() => $"{Kind}: {Message} ({Remedy})";
}
