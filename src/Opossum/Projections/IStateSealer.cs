using Opossum.Serialization;

namespace Opossum.Projections;

/// <summary>Encrypts and decrypts the personal values of states.</summary>
internal interface IStateSealer
{
    /// <summary>
    /// Looks for persons who were forgotten, also by other processes. The number rises when there are some: what was decrypted before should not be
    /// kept.
    /// </summary>
    int LookForChanges();

    /// <summary>Encrypts the personal values of a state. Those of a person who was forgotten are marked as lost.</summary>
    /// <param name="isPersonal">Whether the class of the state has personal members.</param>
    byte[] Seal(string projection, string key, FoundValues state, bool isPersonal);

    /// <summary>Decrypts them.</summary>
    /// <param name="json">The stored state, as compact JSON.</param>
    OpenedJson Open(string projection, string key, byte[] json);
}
