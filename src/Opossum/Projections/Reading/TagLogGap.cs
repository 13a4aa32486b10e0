namespace Opossum.Projections.Reading;

/// <summary>Why the tag log could not be read up to its expected length.</summary>
internal enum TagLogGap
{
    None,

    /// <summary>The bytes after its durable part are not a complete line: it is being written, or a crash cut it off.</summary>
    Torn,

    /// <summary>A segment is missing. A new leader may have merged it with others.</summary>
    Missing,

    /// <summary>Its durable part is damaged.</summary>
    Damage,
}
