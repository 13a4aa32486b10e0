namespace Opossum.Projections.Reading;

/// <summary>Why the tag log could not be read as far as it should.</summary>
internal enum TagLogGap
{
    None,

    /// <summary>What comes after its durable part is no whole line: it is being written, or a crash has cut it off.</summary>
    Torn,

    /// <summary>A segment is not there. A new leader may have merged it with others.</summary>
    Missing,

    /// <summary>Its durable part is not whole.</summary>
    Damage,
}
