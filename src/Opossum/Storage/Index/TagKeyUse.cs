namespace Opossum.Storage.Index;

/// <summary>The counts of a tag key while keys are counted.</summary>
internal sealed class TagKeyUse(string key)
{
    public string Key => key;

    /// <summary>The number of times events carry a tag of the key; an event with two counts twice.</summary>
    public long Uses { get; set; }

    /// <summary>The numbers of its tags.</summary>
    public List<int> Tags { get; } = [];
}
