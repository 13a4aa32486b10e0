namespace Opossum.Maintenance;

/// <summary>A place where a text was found.</summary>
public sealed record PersonalDataHit
{
    /// <summary>The kind of place.</summary>
    public required PersonalDataPlace Place { get; init; }

    /// <summary>The file.</summary>
    public required string Path { get; init; }

    /// <summary>The offset in the file in bytes; null: it is in the file's name.</summary>
    public required long? Offset { get; init; }

    /// <summary>The position of the event; null when it is not one.</summary>
    public required long? Position { get; init; }

    /// <summary>The event's type; null when it is not one.</summary>
    public required string? EventType { get; init; }

    /// <summary>
    /// The path of the member in the file's JSON, such as <c>data.email</c> or <c>tags[0]</c>; null when unknown.
    /// </summary>
    public required string? Member { get; init; }

    /// <summary>The projection's name; null when the file is not a projection's.</summary>
    public required string? Projection { get; init; }

    /// <summary>The key of the projection's state; null when it is not a state.</summary>
    public required string? Key { get; init; }
}
