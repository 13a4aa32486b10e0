using Opossum.Serialization;

namespace Opossum.Projections;

/// <summary>Encrypts and decrypts the personal values of states.</summary>
internal interface IStateSealer
{
    /// <summary>Rises when a person was forgotten: what was decrypted before should not be kept.</summary>
    int Changes { get; }

    /// <summary>Encrypts the personal values of a state. Those of a person who was forgotten become null.</summary>
    /// <param name="shape">Where they are; null: nothing is personal.</param>
    /// <param name="projection">The projection.</param>
    /// <param name="key">The state's key.</param>
    /// <param name="json">The state, as compact JSON.</param>
    byte[] Seal(PersonalShape? shape, string projection, string key, byte[] json);

    /// <summary>Decrypts them.</summary>
    /// <param name="projection">The projection.</param>
    /// <param name="key">The state's key.</param>
    /// <param name="json">The stored state, as compact JSON.</param>
    OpenedJson Open(string projection, string key, byte[] json);
}
