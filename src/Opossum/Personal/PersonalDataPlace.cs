namespace Opossum.Maintenance;

/// <summary>The kind of place in a store's folder where a text was found.</summary>
public enum PersonalDataPlace
{
    /// <summary>An event file.</summary>
    EventFile,

    /// <summary>The line of an event, beside the index.</summary>
    Line,

    /// <summary>The index of types and tags.</summary>
    Index,

    /// <summary>An event file, or a copy of one, that was set aside.</summary>
    Quarantine,

    /// <summary>A file of a projection: a state, its staging, a tag log, a fault.</summary>
    Projection,

    /// <summary>A file of the folder of keys.</summary>
    Keys,

    /// <summary>A file of the proof.</summary>
    Proof,

    /// <summary>Any other file, such as one that the store did not write.</summary>
    Other,

    /// <summary>A file of a reaction: a parked or skipped event with its errors, an event that is due later, a request.</summary>
    Reaction,
}
