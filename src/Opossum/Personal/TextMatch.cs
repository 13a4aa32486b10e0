namespace Opossum.Personal;

/// <summary>Where a text that is searched for counts as found.</summary>
internal enum TextMatch
{
    /// <summary>Everywhere, also within a word.</summary>
    Anywhere,

    /// <summary>Where it is not a part of another word or number, as forgetting takes it out.</summary>
    Word,

    /// <summary>The same, and where tags are, as a whole tag.</summary>
    Tag,
}
